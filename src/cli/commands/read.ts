import { visible } from '../../explain/safe-text.ts';
import type { Command } from '../command.ts';
import { commonHelp, readClientWords } from '../client-options.ts';
import { exitCodes, WrongUse } from '../exit-codes.ts';
import { binary, textLines } from '../render.ts';
import { jsonLine } from '../json-line.ts';
import { withClient } from '../with-client.ts';

export const command: Command = {
  usage: '[options] TARGET URI',
  about: 'Reads a resource, and prints its text.',
  options: [['--save FOLDER', 'keeps blobs there'], ...commonHelp],
  example: 'barewire read http://127.0.0.1:3000/mcp travel://places/rome',
  async run(words) {
    const read = await readClientWords(words, { save: { type: 'string' } });
    const [uri] = read.rest;
    if (uri === undefined || read.rest.length > 1) throw new WrongUse('one URI is wanted');
    return withClient(read, async ({ client, how, json, print, style }) => {
      const result = await client.readResource(uri, how);
      if (json) print(jsonLine(result));
      else {
        for (const one of result.contents) {
          if (result.contents.length > 1) print(style.dim(visible(one.uri)));
          if ('text' in one) for (const line of textLines(one.text)) print(line);
          else print(binary('blob', one.mimeType ?? '', one.blob, read.text('save'), style));
        }
      }
      return exitCodes.good;
    });
  },
};
