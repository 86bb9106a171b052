import { createWriteStream } from 'node:fs';
import type { Command } from '../command.ts';
import { readWords } from '../client-options.ts';
import { WrongUse } from '../exit-codes.ts';
import { explainedLines, explainPassing } from '../explainer.ts';
import { relay } from '../relay.ts';
import { style, wantsColour } from '../terminal.ts';
import { visible } from '../../explain/safe-text.ts';

export const command: Command = {
  usage: '[options] -- PROGRAM [ARGUMENTS]',
  about: 'Stands between any host and any server, passes every byte unchanged, and writes what passed, explained.',
  options: [
    ['--to FILE', 'appends to this file; default: stderr, which most hosts keep in a log'],
    ['--full', 'messages are written whole, however long they are'],
    ['--json', 'writes each message as a line of JSON'],
    ['--no-color', 'writes without colour'],
  ],
  example: 'barewire trace --to /tmp/mcp.log -- npx -y @modelcontextprotocol/server-everything',
  notes: [
    'In a host: { "command": "barewire", "args": ["trace", "--to", "/tmp/mcp.log", "--", "npx", "-y", "a-server"] }.',
    'It ends as the server ends, with its exit code. What passes is written as it is: a token in a message is in the trace too.',
  ],
  async run(words) {
    const end = words.indexOf('--');
    const read = readWords(end < 0 ? words : words.slice(0, end), { to: { type: 'string' }, full: { type: 'boolean' } });
    const [program, ...args] = end < 0 ? [] : words.slice(end + 1);
    if (program === undefined) throw new WrongUse('trace needs a program behind --');
    const to = read.text('to');
    const file = to === undefined ? undefined : createWriteStream(to, { flags: 'a', mode: 0o600 });
    file?.on('error', (error) => process.stderr.write(`barewire: ${error.message}\n`));
    const out = file ?? process.stderr;
    const colours = style(!file && !read.flag('no-color') && wantsColour(process.env, process.stderr.isTTY));
    const columns = read.flag('full') ? Infinity : file ? 1_000 : process.stderr.columns || 200;
    const explained = explainPassing();
    const began = performance.now();
    const write = (line: string): void => void out.write(`${line}\n`);
    const json = read.flag('json');
    const seconds = (): string => ((performance.now() - began) / 1000).toFixed(3);
    const code = await relay({
      command: program,
      args,
      onLine(from, text) {
        const said = explained(from, text);
        if (json) write(JSON.stringify({ at: Date.now(), from, text, ...said }));
        else explainedLines(seconds(), from, text, said, colours, columns).forEach(write);
      },
      onLost(from, why) {
        if (json) write(JSON.stringify({ at: Date.now(), from, lost: why }));
        else write(`${seconds().padStart(7)} ${from === 'client' ? '→' : '←'} (${visible(why)}; it was passed on)`);
      },
    });
    if (file) await new Promise<void>((resolve) => file.end(() => resolve()));
    return code;
  },
};
