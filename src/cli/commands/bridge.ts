import { resolve } from 'node:path';
import { explain } from '../../explain/explain.ts';
import { visible } from '../../explain/safe-text.ts';
import { serverOpener } from '../open-server.ts';
import { errorMessage } from '../../jsonrpc/internal-exports.ts';
import { serveHttp } from '../../transport/http/node/index.ts';
import { serveSocket } from '../../transport/socket/node/index.ts';
import type { ServeSocketOptions } from '../../transport/socket/node/index.ts';
import { serveStdio } from '../../transport/stdio/index.ts';
import type { HttpTrace, ServerPort, Trace } from '../../transport/internal-exports.ts';
import { openBridge } from '../bridge/bridge.ts';
import { defaultBridgeLimits } from '../bridge/backends.ts';
import { issuerAuthentication, tokenAuthentication } from '../bridge/authentication.ts';
import type { Command } from '../command.ts';
import type { CommandProcess } from '../command-process.ts';
import { numberOf, readClientWords, targetHelp, targetOptions } from '../client-options.ts';
import type { OwnOptions } from '../client-options.ts';
import { endingSignal } from '../ending-signal.ts';
import { exitCodes, NotReached, WrongUse } from '../exit-codes.ts';
import { readSerialTarget, serialHelp } from '../serial-target.ts';
import { isSocket, socketPath } from '../socket-target.ts';

const bridgeWords: OwnOptions = {
  ...targetOptions, revision: { type: 'string' },
  port: { type: 'string' }, socket: { type: 'string' }, children: { type: 'string' }, idle: { type: 'string' }, away: { type: 'string' }, explain: { type: 'boolean' },
  tokens: { type: 'string' }, issuer: { type: 'string' }, resource: { type: 'string' },
};

export const command: Command = {
  usage: '[options] (TARGET | --serial PORT)',
  about: 'Serves another server over another transport and in other revisions: stdio to HTTP and back, legacy to modern and back.',
  options: [
    ['--port N', 'serves over HTTP (and HTTP+SSE) on 127.0.0.1; 0: a free port. Default: over stdin and stdout'],
    ['--socket PATH', 'serves over this Unix socket, which only this user can open (Windows: \\\\.\\pipe\\NAME)'],
    ['--children N', 'processes or sessions behind the bridge at once; 100'],
    ['--idle N', 'seconds after which an unused process or session is ended; 300'],
    ['--away N', 'seconds that a call waits for the answer to a question, and for a client that was cut off; 600'],
    ...serialHelp,
    ['--revision X', 'speaks that revision to the server'],
    ['--header "N: V"', 'sends this header to the server; may be given again'],
    ...targetHelp,
    ['--tokens FILE', 'with --port: requires a token of FILE; a line each: PRINCIPAL TOKEN'],
    ['--issuer URL', 'with --port: requires an access token of this authorization server (OAuth)'],
    ['--resource URL', 'with --issuer: the address of the bridge for clients; default: its own address'],
    ['--explain', 'writes each message to stderr, before and after translation'],
  ],
  example: 'barewire bridge --port 3000 -- npx -y @modelcontextprotocol/server-everything',
  notes: [
    'The bridge runs a separate server for each principal. Without credentials each legacy session has one, and all',
    'requests of 2026-07-28 share one.',
    'A legacy question does not name its call: the bridge sends it with any open call of the same client.',
    '',
    'What is not translated:',
    '  resources/subscribe      holds for each server that runs for the principal; an update goes to every client that',
    '                           watches the URI',
    '  resources/unsubscribe    is not passed on to the server behind',
    '  logging                  all levels are requested behind, and filtered in front; logs outside of calls are lost',
    '  questions outside calls  are answered with an error: a client of 2026-07-28 can be asked only in a call',
    '  a withdrawn question     stays open in front; its answer is dropped',
    '  tasks, extensions        are not declared in front',
    '  what a revision lacks    is left out: titles, icons, output schemas, annotations, audio (as text)',
  ],
  async run(words, proc) {
    const read = await readSerialTarget(words, bridgeWords) ?? await readClientWords(proc, words, bridgeWords);
    if (read.rest.length > 0) throw new WrongUse(`bridge takes one server; unexpected: ${read.rest[0]}`);
    const number = numberOf(read);
    const [port, children, idle, away] = [number('port', 0, 65_535, true), number('children', 1, 100_000, true), number('idle', 0.1, 86_400), number('away', 0.1, 86_400)];
    const socket = read.text('socket');
    if (socket !== undefined && port !== undefined) throw new WrongUse('--port and --socket exclude each other');
    const [tokens, issuer, resource] = [read.text('tokens'), read.text('issuer'), read.text('resource')];
    if (port === undefined && (tokens ?? issuer ?? resource) !== undefined) throw new WrongUse('--tokens, --issuer and --resource need --port');
    if (tokens !== undefined && issuer !== undefined) throw new WrongUse('--tokens and --issuer exclude each other');
    if (issuer !== undefined && resource === undefined && port === 0) throw new WrongUse('--issuer needs --resource, or a --port that is not 0');
    const auth = tokens !== undefined ? tokenAuthentication(tokens)
      : issuer !== undefined ? await issuerAuthentication(issuer, resource ?? `http://127.0.0.1:${port}/mcp`) : undefined;
    const say = (line: string): void => void proc.stderr.write(`barewire: ${visible(line)}\n`);
    const traced = (side: 'front' | 'behind'): HttpTrace & Trace => (entry) => {
      if (!read.flag('explain') || !('text' in entry)) return;
      let message: unknown = entry.text;
      try {
        message = JSON.parse(entry.text);
      } catch {
        // explain() reports that the text is not a message.
      }
      const arrow = entry.direction === 'received' ? '→ bridge' : '← bridge';
      say(`${side} ${arrow}: ${explain(message, entry.direction).what}  ${entry.text.slice(0, 2000)}`);
    };
    const limits = {
      // A serial port has one server.
      ...'open' in read ? { maxBackends: 1 } : children !== undefined && { maxBackends: children },
      ...idle !== undefined && { backendIdleMs: idle * 1000 },
      ...away !== undefined && { awayMs: away * 1000 },
    };
    const onError = (error: Error): void => say(error.message);
    const bridge = await openBridge({
      open: () => ('open' in read ? read.open(traced('behind'))
        : serverOpener(proc.env)(read.targetName, read.server, { trace: traced('behind'), onStderr: (line) => say(`server: ${line}`) })),
      back: read.revisions, limits, onError,
    }).catch((thrown: unknown) => {
      throw new NotReached(`${visible(read.targetName)} was not reached`, errorMessage(thrown));
    });
    try {
      if (socket !== undefined) return await onSocket(proc, socket, bridge.server, { trace: traced('front'), onError }, say);
      if (port === undefined) {
        await serveStdio(bridge.server, { stdin: proc.stdin, stdout: proc.stdout, trace: traced('front') }).closed;
        return exitCodes.good;
      }
      // Keep a legacy session whose client was cut off, with its open question, as long as a client may be away.
      const sessionIdleMs = Math.max(idle ?? defaultBridgeLimits.backendIdleMs / 1000, away ?? defaultBridgeLimits.awayMs / 1000) * 1000;
      const http = await serveHttp(bridge.server, { port, limits: { sessionIdleMs }, trace: traced('front'), onError, ...auth && { auth } });
      say(`serving ${http.url}`);
      const code = await endingSignal(proc);
      await http.close();
      return code;
    } finally {
      await bridge.close();
    }
  },
};

/** Serves the bridge on a socket until a signal ends it. */
async function onSocket(proc: CommandProcess, word: string, server: ServerPort, options: ServeSocketOptions, say: (line: string) => void): Promise<number> {
  const path = socketPath(isSocket(word) ? word : `unix:${resolve(proc.cwd(), word)}`);
  const serving = await serveSocket(server, path, options).catch((thrown: unknown) => {
    throw new WrongUse(errorMessage(thrown));
  });
  say(`serving ${serving.path}`);
  const code = await endingSignal(proc);
  await serving.close();
  return code;
}
