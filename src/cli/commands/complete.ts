import { visible } from '../../explain/safe-text.ts';
import type { Command } from '../command.ts';
import { commonHelp, readClientWords } from '../client-options.ts';
import { exitCodes, WrongUse } from '../exit-codes.ts';
import { jsonLine } from '../json-line.ts';
import { withClient } from '../with-client.ts';

export const command: Command = {
  usage: '[options] TARGET PROMPT-OR-TEMPLATE ARGUMENT=BEGINNING [settled=value] ...',
  about: 'Asks the server for values of an argument that is being typed.',
  options: commonHelp,
  example: 'barewire complete completable-prompt department=E -- npx -y @modelcontextprotocol/server-everything',
  async run(words, proc) {
    const read = await readClientWords(proc, words);
    const [of, ...given] = read.rest;
    const pairs = given.map((word): readonly [string, string] => {
      const at = word.indexOf('=');
      if (at < 1) throw new WrongUse(`${word}: an argument is name=beginning`);
      return [word.slice(0, at), word.slice(at + 1)];
    });
    const [first, ...settled] = pairs;
    if (of === undefined || first === undefined) throw new WrongUse('expected a prompt or template and an argument');
    return withClient(read, async ({ client, how, json, print, style }) => {
      const ref = of.includes('{') ? { type: 'ref/resource' as const, uri: of } : { type: 'ref/prompt' as const, name: of };
      const completion = await client.complete(ref, { name: first[0], value: first[1] }, settled.length > 0 ? Object.fromEntries(settled) : undefined, how);
      if (json) print(jsonLine(completion));
      else {
        for (const value of completion.values) print(visible(value));
        if (completion.hasMore) print(style.dim(`… and more${completion.total === undefined ? '' : ` (${completion.total} in all)`}`));
      }
      return exitCodes.good;
    });
  },
};
