import { createWriteStream } from 'node:fs';
import { visible } from '../../explain/safe-text.ts';
import { recorder } from '../../transcript/index.ts';
import type { Command } from '../command.ts';
import { readWords } from '../client-options.ts';
import { WrongUse } from '../exit-codes.ts';
import { relay } from '../relay.ts';

export const command: Command = {
  usage: '[options] FILE.wire -- PROGRAM [ARGUMENTS]',
  about: 'Stands between any host and any server, passes every byte unchanged, and writes the session as a transcript.',
  options: [['--title TEXT', 'the first line of the transcript']],
  example: 'barewire record session.wire -- node dist/examples/travel/main.js',
  notes: ['"barewire replay" plays it. What passes is written as it is: a token in a message is in the transcript too.'],
  async run(words) {
    const end = words.indexOf('--');
    const read = readWords(end < 0 ? words : words.slice(0, end), { title: { type: 'string' } }, true);
    const [target, ...more] = read.rest;
    const [program, ...args] = end < 0 ? [] : words.slice(end + 1);
    if (target === undefined || more.length > 0 || program === undefined) throw new WrongUse('record needs a file, and a program behind --');
    const file = createWriteStream(target, { mode: 0o600 });
    await new Promise<void>((resolve, reject) => file.once('open', () => resolve()).once('error', (error) => reject(new WrongUse(error.message))));
    file.on('error', (error) => process.stderr.write(`barewire: ${error.message}\n`));
    // Prose may not begin as a message does.
    file.write(`${visible(read.text('title') ?? `A session with ${[program, ...args].join(' ')}`).replace(/^[\s\-<{]+/, '')}.\n\n`);
    const { add } = recorder();
    const code = await relay({
      command: program,
      args,
      onLine: (from, text) => void file.write(add(from, text)),
      onLost: (from, why) => void file.write(`A line of the ${from} was not written: ${visible(why)}.\n`),
    });
    await new Promise<void>((resolve) => file.end(() => resolve()));
    return code;
  },
};
