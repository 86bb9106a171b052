import type { Command } from '../command.ts';
import { commonHelp, commonOptions, readClientWords } from '../client-options.ts';
import { exitCodes, WrongUse } from '../exit-codes.ts';
import { showContents } from '../output.ts';
import { withClient } from '../with-client.ts';

export const command: Command = {
  usage: '[options] TARGET URI',
  about: 'Reads a resource, and prints its text.',
  options: [['--save FOLDER', 'saves blobs there'], ...commonHelp],
  example: 'barewire read http://127.0.0.1:3000/mcp travel://places/rome',
  async run(words, proc) {
    const read = await readClientWords(proc, words, { ...commonOptions, save: { type: 'string' } });
    const [uri] = read.rest;
    if (uri === undefined || read.rest.length > 1) throw new WrongUse('expected one URI');
    return withClient(read, async (session) => {
      showContents(session, await session.client.readResource(uri, session.how));
      return exitCodes.good;
    });
  },
};
