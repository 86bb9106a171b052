import type { Command } from '../command.ts';
import { commonHelp, commonOptions, readClientWords } from '../client-options.ts';
import { exitCodes, WrongUse } from '../exit-codes.ts';
import { textArguments } from '../text-arguments.ts';
import { showPrompt } from '../output.ts';
import { withClient } from '../with-client.ts';

export const command: Command = {
  usage: '[options] TARGET PROMPT [key=value] ...',
  about: 'Gets a prompt, and prints its messages.',
  options: [['--save FOLDER', 'saves images and audio there'], ...commonHelp],
  example: 'barewire get plan_trip destination=Rome -- node dist/examples/travel/main.js',
  async run(words, proc) {
    const read = await readClientWords(proc, words, { ...commonOptions, save: { type: 'string' } });
    const [name, ...given] = read.rest;
    if (name === undefined) throw new WrongUse('the name of a prompt is missing');
    const args = textArguments(given);
    return withClient(read, async (session) => {
      showPrompt(session, await session.client.getPrompt(name, given.length > 0 ? args : undefined, session.how));
      return exitCodes.good;
    });
  },
};
