import { visible } from '../../explain/safe-text.ts';
import type { Rule } from '../../host/index.ts';
import type { Tool } from '../../protocol/index.ts';
import { checkArguments } from '../argument-check.ts';
import { sourceOf } from '../argument-source.ts';
import { askConsent } from '../ask-consent.ts';
import type { Command } from '../command.ts';
import { commonHelp, commonOptions, readClientWords } from '../client-options.ts';
import type { ClientWords } from '../client-options.ts';
import { userStore } from '../configuration.ts';
import { consentHelp, consentOptions } from '../consent.ts';
import { describeTool } from '../describe-tool.ts';
import { exitCodes, Refused, WrongUse } from '../exit-codes.ts';
import { completed } from '../missing-arguments.ts';
import { didYouMean } from '../near-miss.ts';
import { showResult } from '../output.ts';
import { atProgram } from '../program-words.ts';
import { whyHidden } from '../offered-tools.ts';
import { ruledConsent, rulesOf } from '../rules-file.ts';
import { keepTools } from '../seen-tools.ts';
import { isWholeObject, readArguments } from '../tool-arguments.ts';
import { withClient } from '../with-client.ts';
import type { CommandSession } from '../with-client.ts';

const own = { ...commonOptions, ...consentOptions, save: { type: 'string' }, args: { type: 'string' }, unchecked: { type: 'boolean' } } as const;

export const command: Command = {
  usage: '[options] TARGET TOOL [key=value | key:=JSON | key=@FILE | JSON | @FILE | -] ...',
  about: 'Calls a tool. At a terminal it shows server, tool and arguments and asks; missing arguments are asked for.',
  options: [
    ['--args JSON', 'all arguments at once; also @FILE, or - for stdin'],
    ['--unchecked', 'sends arguments even if the schema refuses them'],
    ...consentHelp,
    ['--save FOLDER', 'saves images, audio and blobs there'],
    ...commonHelp,
  ],
  example: 'barewire call echo message=hello -- npx -y @modelcontextprotocol/server-everything',
  notes: [
    'With a tool, --help shows its arguments: barewire call TARGET TOOL --help.',
    'A tool that the server marks as read-only is called without a question; any other call needs consent. Without consent,',
    'and without a terminal to ask at, the command ends with 3. --yes and --allow do not fill in forms; --defaults does.',
  ],
  async run(words, proc) {
    const read = await readClientWords(proc, words, own);
    const [name, ...given] = read.rest;
    if (name === undefined) throw new WrongUse('the name of a tool is missing');
    const all = read.text('args');
    if (all !== undefined && !isWholeObject(all)) throw new WrongUse('--args takes a JSON object, @FILE or -');
    const rules = rulesOf(read.text('rules'), proc.env);
    return withClient(read, async (session) => {
      const tool = await toolNamed(session, read, rules, name);
      const written = readArguments([...all === undefined ? [] : [all], ...given], tool.inputSchema, sourceOf(true));
      const args = read.flag('unchecked') ? written : await completed(tool, written, session.style, session.ask);
      if (!read.flag('unchecked')) checkArguments(tool, args);
      const { client, how, json, style, note } = session;
      const why = await consented(session, read, rules, tool, args);
      if (!json) note(style.dim(`${visible(name)} is called, because ${why}.`));
      const result = await client.callTool(name, args, how);
      showResult(session, result);
      return result.isError ? exitCodes.failed : exitCodes.good;
    });
  },
  async explain(words, proc) {
    const { before, program } = atProgram(words);
    const mine = before.filter((word) => word !== '--help' && word !== '-h');
    if (mine.filter((word) => !word.startsWith('-')).length < (program ? 1 : 2)) return undefined;
    const read = await readClientWords(proc, program ? [...mine, '--', ...program] : mine, own);
    const [name] = read.rest;
    if (name === undefined) return undefined;
    const rules = rulesOf(read.text('rules'), proc.env);
    return withClient(read, async (session) => {
      const tool = await toolNamed(session, read, rules, name);
      for (const line of describeTool(tool, { ...session.render, target: read.target })) session.print(line);
      return exitCodes.good;
    });
  },
};

/**
 * The tool with this name. Rejects with `WrongUse` if the server has no such tool, naming the most similar one, and with
 * `Refused` if a rule or the configuration hides it.
 */
async function toolNamed({ client, how }: CommandSession, read: ClientWords, rules: readonly Rule[], name: string): Promise<Tool> {
  const { proc, server, named, targetName } = read;
  const tools = await client.listTools(how);
  const hidden = (one: Tool): string | undefined => whyHidden({ server, name: named ? targetName : undefined, targetName }, rules, one);
  const names = tools.filter((one) => hidden(one) === undefined).map((one) => one.name);
  if (named) await keepTools(proc.env, targetName, names);
  const tool = tools.find((one) => one.name === name);
  const why = tool && hidden(tool);
  if (why !== undefined) throw new Refused(`${visible(name)} was not called: ${why}`);
  if (tool) return tool;
  throw new WrongUse(`there is no tool ${visible(name)}${didYouMean(name, names) || `; there are ${names.slice(0, 30).map(visible).join(', ') || 'none'}`}`);
}

/** The reason why the call is allowed. Rejects with `Refused` if it is not. */
async function consented(
  { ask, style }: CommandSession, read: ClientWords, rules: readonly Rule[], tool: Tool, args: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { proc, server, targetName, named } = read;
  const { given, why } = await ruledConsent(rules, { server, name: named ? targetName : undefined, targetName, store: userStore(proc.env), tool, args }, {
    all: read.flag('yes'), allowed: read.texts('allow'), strict: read.flag('strict'),
    ...ask && { ask: () => ask((prompter) => askConsent(prompter, style, targetName, tool, args)) },
  });
  if (!given) throw new Refused(`${visible(tool.name)} was not called: ${why}`);
  return why;
}
