import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { systemClock } from '../../bounds/clock.ts';
import type { Clock } from '../../bounds/clock.ts';
import { checkOptions } from '../../bounds/options.ts';
import type { Shape } from '../../bounds/options.ts';
import { errorMessage } from '../../jsonrpc/door.ts';
import { createFramer } from '../../jsonrpc/index.ts';
import type { ClientEvents, ClientWay, HiddenRequest, JudgedClient, Leaving, StartedClient, StartOptions } from '../client/port.ts';

/** How a client program is started. */
export interface ClientProgramOptions {
  /**
   * The program and its arguments. `{url}` is replaced by the address of a hidden server over HTTP, `{program}` by the command
   * of one over stdio: as several arguments where it stands by itself, as one text within another argument.
   */
  readonly command: readonly string[];
  /** The command that runs `relay(port, stays)`; the port, and `stays` where it does, are added. */
  readonly relay: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly cwd?: string | undefined;
  /** Called with each piece of what the program writes to stdout and stderr. */
  readonly onOutput?: ((text: string) => void) | undefined;
  readonly clock?: Clock | undefined;
}

const optionsShape: Shape<ClientProgramOptions> = { command: 'list', relay: 'list', env: 'object', cwd: 'string', onOutput: 'function', clock: 'object' };

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll('\'', String.raw`'\''`)}'`);

/** The client that a command starts, for `judgeClient`. Throws a TypeError where the command has no place for a server. */
export function clientProgram(options: ClientProgramOptions): JudgedClient {
  checkOptions('clientProgram: options', options, optionsShape);
  const { command, clock = systemClock } = options;
  const has = (word: string): boolean => command.some((one) => one.includes(word));
  const ways: ClientWay[] = [...has('{program}') ? ['pipe' as const] : [], ...has('{url}') ? ['http' as const] : []];
  if (ways.length === 0) throw new TypeError('the command of a client names its server as {url} or {program}');
  if (ways.length === 2) throw new TypeError('the command of a client names its server as {url} or as {program}, not both');
  return { name: command.map(quoted).join(' '), ways, start: (way, events, how) => (way === 'pipe' ? overPipe(options, clock, events, how) : overHttp(options, clock, events)) };
}

/** The command with the server's place filled in. */
function filled(command: readonly string[], place: string, words: readonly string[]): string[] {
  return command.flatMap((one) => (one === place ? words : [one.replaceAll(place, words.map(quoted).join(' '))]));
}

/** Milliseconds in which a program that was told to end has to. */
const graceMs = 2_000;

function run({ command, env, cwd, onOutput }: ClientProgramOptions, clock: Clock, words: readonly string[]): { child: ChildProcess; ended: Promise<string>; stop: () => Promise<void> } {
  const [file = '', ...args] = words;
  const child = spawn(file, args, { env: { ...process.env, ...env }, cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: process.platform !== 'win32' });
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => onOutput?.(text));
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(`${command[0] ?? ''} could not be started: ${error.message}`));
    child.on('exit', (code, signal) => resolve(signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`));
  });
  const kill = (signal: NodeJS.Signals): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(process.platform === 'win32' ? child.pid : -child.pid, signal);
    } catch {
      // The group has gone.
    }
  };
  return {
    child, ended,
    async stop() {
      if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
        kill('SIGTERM');
        const timer = clock.after(graceMs, () => kill('SIGKILL'));
        await ended;
        timer?.stop();
      }
      // What it has started belongs to its group.
      kill('SIGKILL');
    },
  };
}

async function listening(server: { listen(port: number, host: string): unknown; address(): unknown }, events: NodeJS.EventEmitter): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(events, 'listening');
  return (server.address() as AddressInfo).port;
}

async function overPipe(options: ClientProgramOptions, clock: Clock, events: ClientEvents, { stays }: StartOptions): Promise<StartedClient> {
  let streams: Socket | undefined;
  let waiting = '';
  const sockets = new Set<Socket>();
  const left = (how: Leaving): void => {
    events.left(how);
    // As a server does: the end of its input is its own end.
    if (how === 'input' && !stays) streams?.end();
  };
  const door = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    const framer = createFramer({ line: (line) => events.line(line), refused: ({ error }) => events.unreadable(error.message) });
    let head: Buffer | undefined = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      if (head === undefined) return framer.push(chunk);
      head = Buffer.concat([head, chunk]);
      const at = head.indexOf(0x0a);
      if (at < 0) return;
      const first = head.subarray(0, at).toString();
      const rest = head.subarray(at + 1);
      head = undefined;
      if (first === 'left input') left('input');
      else if (first === 'left signal') left('signal');
      else if (first === 'streams') {
        // A client may start its server again: the last one is the one that it talks to.
        streams = socket;
        // The relay never ends its side by itself: its end is that of the process.
        socket.on('end', () => {
          framer.end();
          if (stays) events.left('killed');
          socket.end();
        });
        socket.write(waiting);
        waiting = '';
        if (rest.length > 0) framer.push(rest);
      }
    });
  });
  const port = await listening(door, door);
  const words = [...options.relay, String(port), ...stays ? ['stays'] : []];
  const { ended, stop } = run(options, clock, filled(options.command, '{program}', words));
  return {
    ended, url: undefined,
    write(text) {
      if (streams) streams.write(text);
      else waiting += text;
    },
    async stop() {
      await stop();
      for (const socket of sockets) socket.destroy();
      door.close();
    },
  };
}

async function overHttp(options: ClientProgramOptions, clock: Clock, events: ClientEvents): Promise<StartedClient> {
  let count = 0;
  const http = createHttpServer((request, response) => {
    response.on('error', () => {});
    const number = ++count;
    void take(number, request, response).then((one) => events.request(one), (error: unknown) => {
      events.unreadable(errorMessage(error));
      response.destroy();
    });
  });
  const port = await listening(http, http);
  const url = `http://127.0.0.1:${port}/mcp`;
  const { ended, stop } = run(options, clock, filled(options.command, '{url}', [url]));
  return {
    ended, url, write() {},
    async stop() {
      await stop();
      http.closeAllConnections();
      http.close();
    },
  };
}

const maxBody = 16 * 1024 * 1024;

async function take(number: number, request: IncomingMessage, response: ServerResponse): Promise<HiddenRequest> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBody) throw new Error(`a body above ${maxBody} bytes`);
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  const body = bytes.toString('utf8');
  return {
    number, method: request.method ?? '', path: request.url ?? '', body, utf8: Buffer.from(body, 'utf8').equals(bytes),
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value ?? ''])),
    respond(status, headers, text = '') {
      if (!response.headersSent) response.writeHead(status, headers).end(text);
    },
    stream(headers) {
      if (!response.headersSent) response.writeHead(200, headers).flushHeaders();
      return {
        write: (text) => void response.write(text),
        end: () => void response.end(),
        cut: () => void response.destroy(),
      };
    },
  };
}
