import type { Command } from '../command.ts';
import { companionHelp, runCompanion } from '../companion.ts';
import type { Companion } from '../companion.ts';
import { configurationHelp } from '../configuration.ts';

const page: Companion = { packageName: 'barewire-page', what: 'the page' };

export const command: Command = {
  usage: '[options] [ADDRESS | -- PROGRAM [ARGUMENTS]]',
  about: 'Opens a page in the browser that shows servers, their wire, and every question that they ask.',
  options: [
    ...configurationHelp,
    ['--rules FILE', 'what is allowed, asked or denied; default: rules.json of the user'],
    ['--port N', 'the port on 127.0.0.1; default: a free one'],
    ['--no-open', 'only prints the address'],
    companionHelp(page),
  ],
  example: 'barewire page -- npx -y @modelcontextprotocol/server-everything',
  notes: [
    `The page is the package ${page.packageName}, which is installed next to barewire; files of this folder are not run. The`,
    'address holds a token behind "#": anyone who has it may start programs here.',
  ],
  run: (words, proc) => runCompanion(page, words, proc),
};
