import { visible } from '../explain/safe-text.ts';
import type { Tool } from '../protocol/tools.ts';
import type { Prompter } from '../host/node/prompter.ts';
import type { Style } from '../host/node/style.ts';

/** The most lines of arguments that are shown; nobody consents to what they cannot see, so more are refused. */
const maxLines = 200;

/** Shows server, tool and arguments, with everything from the wire made visible. False: there is too much to show. */
export function showCall(
  prompter: Prompter, style: Style, server: string, tool: Tool, args: Readonly<Record<string, unknown>>,
): boolean {
  const { bold, dim, yellow } = style;
  const { readOnlyHint, destructiveHint, title } = tool.annotations ?? {};
  const lines = JSON.stringify(args, null, 2).split('\n').map(visible);
  if (lines.length > maxLines) {
    prompter.say(`The arguments of ${visible(tool.name)} take ${lines.length} lines, too many to show: it is not called.`);
    return false;
  }
  prompter.say('');
  prompter.say(`${bold(visible(server))} is to run ${bold(visible(tool.name))}${title ? ` (${visible(title)})` : ''}`);
  if (tool.description) prompter.say(dim(visible(tool.description.slice(0, 400))));
  for (const line of lines) prompter.say(`  ${line}`);
  const says = readOnlyHint === true ? 'it only reads'
    : destructiveHint === false ? 'it destroys nothing'
      : destructiveHint === true ? 'it may destroy' : 'nothing, which means that it may destroy';
  prompter.say(yellow(`The server says of it: ${says}. That is the server's word.`));
  return true;
}

/** Shows a call, and asks. Only `y` or `yes` is consent. */
export async function askConsent(
  prompter: Prompter, style: Style, server: string, tool: Tool, args: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  if (!showCall(prompter, style, server, tool, args)) return false;
  const answer = await prompter.ask('Run it? [y/N] ');
  return /^\s*y(es)?\s*$/i.test(answer ?? '');
}
