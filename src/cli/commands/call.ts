import { visible } from '../../explain/safe-text.ts';
import { askConsent } from '../ask-consent.ts';
import type { Command } from '../command.ts';
import { commonHelp, readClientWords } from '../client-options.ts';
import { consentTo } from '../consent.ts';
import { exitCodes, Refused, WrongUse } from '../exit-codes.ts';
import { completed } from '../missing-arguments.ts';
import { openPrompter } from '../../host/node/prompter.ts';
import { showResult } from '../output.ts';
import { readArguments } from '../tool-arguments.ts';
import { withClient } from '../with-client.ts';

export const command: Command = {
  usage: '[options] TARGET TOOL [key=value | key:=JSON | JSON] ...',
  about: 'Calls a tool. At a terminal it shows server, tool and arguments and asks; missing arguments are asked for.',
  options: [
    ['--yes', 'consents to the call'],
    ['--allow NAME', 'consents to tools of this name; * is any run of characters; may be given again'],
    ['--strict', 'does not take the server\'s word that a tool only reads'],
    ['--save FOLDER', 'keeps images, audio and blobs there'],
    ...commonHelp,
  ],
  example: 'barewire call echo message=hello -- npx -y @modelcontextprotocol/server-everything',
  notes: [
    'A tool that the server says only reads is called without a question; everything else needs consent. Without a',
    'terminal and without consent it ends with 3. --yes and --allow fill in no forms; --defaults does.',
  ],
  async run(words) {
    const read = await readClientWords(words, {
      yes: { type: 'boolean', short: 'y' }, allow: { type: 'string', multiple: true }, strict: { type: 'boolean' }, save: { type: 'string' },
    });
    const [name, ...given] = read.rest;
    if (name === undefined) throw new WrongUse('the name of a tool is missing');
    return withClient(read, async (session) => {
      const { client, how, json, atTerminal, style, note } = session;
      const tools = await client.listTools(how);
      const tool = tools.find((one) => one.name === name);
      if (!tool) throw new WrongUse(`there is no tool ${visible(name)}; there are ${tools.slice(0, 30).map((one) => visible(one.name)).join(', ') || 'none'}`);
      const args = await completed(tool, readArguments(given, tool.inputSchema), style, atTerminal
        ? async (fill) => {
          const prompter = openPrompter(process.stdin, process.stderr);
          try {
            return await fill(prompter);
          } finally {
            prompter.close();
          }
        }
        : undefined);
      const consent = await consentTo(tool, args, {
        all: read.flag('yes'), allowed: read.texts('allow'), strict: read.flag('strict'),
        ...atTerminal && {
          ask: async () => {
            const prompter = openPrompter(process.stdin, process.stderr);
            try {
              return await askConsent(prompter, style, read.targetName, tool, args);
            } finally {
              prompter.close();
            }
          },
        },
      });
      if (!consent.given) throw new Refused(`${visible(name)} was not called: ${consent.why}`);
      if (!json) note(style.dim(`${visible(name)} is called, because ${consent.why}.`));
      const result = await client.callTool(name, args, how);
      showResult(session, result);
      return result.isError ? exitCodes.failed : exitCodes.good;
    });
  },
};
