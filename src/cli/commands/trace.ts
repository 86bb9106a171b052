import { systemClock } from '../../bounds/clock.ts';
import type { ServerConfig } from '../../host/index.ts';
import type { HttpTrace } from '../../transport/internal-exports.ts';
import type { Command } from '../command.ts';
import { numberOf, readClientWords, refuseGiven, targetHelp, targetOptions } from '../client-options.ts';
import type { ClientWords } from '../client-options.ts';
import { endingSignal } from '../ending-signal.ts';
import { openEntries } from '../entries-file.ts';
import { exitCodes, WrongUse } from '../exit-codes.ts';
import { explainedHttpLines, explainedLines, explainPassing } from '../explainer.ts';
import { httpRelay } from '../http-relay.ts';
import type { HttpRelayOptions } from '../http-relay.ts';
import { jsonLine } from '../json-line.ts';
import { relay } from '../relay.ts';
import { isHttp } from '../socket-target.ts';
import { style, wantsColour } from '../../host/node/style.ts';
import { explainHttp } from '../../explain/http.ts';
import { visible } from '../../explain/safe-text.ts';
import { errorMessage } from '../../jsonrpc/internal-exports.ts';

export const command: Command = {
  usage: '[options] ADDRESS | NAME | -- PROGRAM [ARGUMENTS]',
  about: 'Runs between any host and any server, passes every byte unchanged, and writes the messages, explained.',
  options: [
    ['--port N', 'before an address: the port on 127.0.0.1 for the clients; default: a free one'],
    ['--header "N: V"', 'before an address: added to each request; may be given again'],
    ['--to FILE', 'appends to this file; default: stderr, which most hosts keep in a log'],
    ['--full', 'messages are written whole, however long they are'],
    ['--json', 'writes each message as a line of JSON'],
    ['--no-color', 'writes without colour'],
    ...targetHelp,
  ],
  example: 'barewire trace --to /tmp/mcp.log -- npx -y @modelcontextprotocol/server-everything',
  notes: [
    'In a host: { "command": "barewire", "args": ["trace", "--to", "/tmp/mcp.log", "--", "npx", "-y", "a-server"] }.',
    'Before an address it writes requests, responses, header fields and events, but no value that holds a credential.',
    'It ends when the server ends, with the same exit code. Messages are written unchanged: the trace has their tokens too.',
  ],
  async run(words, proc) {
    const read = await readClientWords(proc, words, { ...targetOptions, to: { type: 'string' }, full: { type: 'boolean' }, port: { type: 'string' }, json: { type: 'boolean' }, 'no-color': { type: 'boolean' } });
    if (!isHttp(read.server)) refuseGiven(read, ['port'], 'is for an address');
    const to = read.text('to');
    const file = to === undefined ? undefined : await openEntries(to, 'a', (error) => proc.stderr.write(`barewire: the trace ends here: ${error.message}\n`))
      .catch((thrown: unknown) => {
        throw new WrongUse(errorMessage(thrown));
      });
    const colours = style(!file && !read.flag('no-color') && wantsColour(proc.env, proc.stderr.isTTY === true));
    const columns = read.flag('full') ? Infinity : file ? 1_000 : proc.stderr.columns || 200;
    const explained = explainPassing();
    const began = systemClock.monotonic();
    const write = (line: string): void => void (file ?? proc.stderr).write(`${line}\n`);
    const json = read.flag('json');
    const seconds = (): string => ((systemClock.monotonic() - began) / 1000).toFixed(3);
    const code = !isHttp(read.server) ? await relay(proc, {
      server: read.server,
      onLine(from, text) {
        const said = explained(from, text);
        if (json) write(jsonLine({ at: systemClock.now(), from, text, ...said }));
        else explainedLines(seconds(), from, text, said, colours, columns).forEach(write);
      },
      onLost(from, why) {
        if (json) write(jsonLine({ at: systemClock.now(), from, lost: why }));
        else write(`${seconds().padStart(7)} ${from === 'client' ? '→' : '←'} (${visible(why)}; it was passed on)`);
      },
    }) : await before(read.server, read, (entry) => {
      const from = entry.direction === 'sent' ? 'client' : 'server';
      if (entry.kind === 'http' || entry.kind === 'event') {
        const said = explainHttp(entry, explained.revision());
        if (json) write(jsonLine({ ...entry, from, ...said }));
        else explainedHttpLines(seconds(), entry, said, colours, columns).forEach(write);
        return;
      }
      const said = explained(from, entry.text);
      if (json) write(jsonLine({ ...entry, from, ...said }));
      else explainedLines(seconds(), from, entry.text, said, colours, columns).forEach(write);
    });
    return await file?.end() ? exitCodes.failed : code;
  },
};

/** Runs a proxy in front of an address until a signal ends it. */
export async function before(
  { url, headers = {} }: Extract<ServerConfig, { readonly url: string }>, words: ClientWords, trace: HttpTrace, onEnd: HttpRelayOptions['onEnd'] = () => {},
): Promise<number> {
  const { proc } = words;
  const target = new URL(url);
  const proxy = await httpRelay({ target, port: numberOf(words)('port', 0, 65_535, true) ?? 0, headers, trace, onEnd });
  proc.stderr.write(`barewire: clients go to ${visible(proxy.url)}\n`);
  const code = await endingSignal(proc);
  await proxy.close();
  return code;
}
