import { visible } from '../../explain/safe-text.ts';
import { count } from '../../explain/words.ts';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../../protocol/index.ts';
import type { Command } from '../command.ts';
import { commonHelp, readClientWords } from '../client-options.ts';
import { describePrompt, describeTool } from '../describe-tool.ts';
import type { DescribeOptions } from '../describe-tool.ts';
import { exitCodes, WrongUse } from '../exit-codes.ts';
import { didYouMean } from '../near-miss.ts';
import { whyHidden } from '../offered-tools.ts';
import { rulesOf } from '../rules-file.ts';
import { keepTools } from '../seen-tools.ts';
import { table } from '../terminal.ts';
import { jsonLine } from '../json-line.ts';
import { listSkills, skillsOf } from '../../skills/index.ts';
import type { Skill } from '../../skills/index.ts';
import { withClient } from '../with-client.ts';
import type { CommandSession } from '../with-client.ts';

const kinds = ['tools', 'resources', 'templates', 'prompts', 'skills'] as const;
type ListKind = typeof kinds[number];

/** The items of a server, by kind. */
interface OfferedItems {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
  readonly skills: readonly Skill[];
}

export const command: Command = {
  usage: '[options] TARGET [tools] [resources] [templates] [prompts] [skills] [NAME] ...',
  about: 'Lists the tools, resources and prompts of a server, or one kind. A name or URI after a kind shows one in full.',
  options: commonHelp,
  example: 'barewire list tools -- npx -y @modelcontextprotocol/server-everything',
  notes: ['barewire list TARGET tools NAME shows the arguments of a tool: their types, defaults and an example.'],
  async run(words, proc) {
    const read = await readClientWords(proc, words);
    const wanted = kinds.filter((kind) => read.rest.includes(kind));
    const names = read.rest.filter((word) => !kinds.some((kind) => kind === word));
    const [only, ...others] = wanted;
    const [first] = names;
    if (first !== undefined && (!only || others.length > 0)) throw new WrongUse(`${first} is not a kind${didYouMean(first, kinds) || `; there are ${kinds.join(', ')}`}`);
    return withClient(read, async (session) => {
      const all = await offeredBy(session, wanted.length > 0 ? wanted : kinds);
      const { server, targetName } = read;
      const rules = rulesOf(undefined, proc.env);
      const tools = all.tools.filter((tool) => whyHidden({ server, name: read.named ? targetName : undefined, targetName }, rules, tool) === undefined);
      const hidden = all.tools.length - tools.length;
      if (hidden > 0) session.note(`${count(hidden, 'tool')} left out: rules.json or the entry of the server does not offer ${hidden === 1 ? 'it' : 'them'}.`);
      const offered = { ...all, tools };
      if (read.named && offered.tools.length > 0) await keepTools(proc.env, read.targetName, offered.tools.map(({ name }) => name));
      const { client, json, print } = session;
      const shown = only && names.length > 0 ? { ...nothing, [only]: names.map((name) => named<Item>(only, offered[only], name)) } : offered;
      if (json) print(jsonLine({ server: client.server, revision: client.revision?.version, ...shown }));
      else if (names.length > 0) showWhole(session, shown, read.target);
      else showTables(session, shown);
      return exitCodes.good;
    });
  },
};

const nothing: OfferedItems = { tools: [], resources: [], templates: [], prompts: [], skills: [] };

async function offeredBy({ client, how, note }: CommandSession, wanted: readonly ListKind[]): Promise<OfferedItems> {
  const has = client.capabilities ?? {};
  const { skills, faults } = wanted.includes('skills') && skillsOf(client) ? await listSkills(client, how) : { skills: [], faults: [] };
  for (const fault of faults) note(visible(fault.message));
  return {
    tools: wanted.includes('tools') && has.tools ? await client.listTools(how) : [],
    resources: wanted.includes('resources') && has.resources ? await client.listResources(how) : [],
    templates: wanted.includes('templates') && has.resources ? await client.listResourceTemplates(how) : [],
    prompts: wanted.includes('prompts') && has.prompts ? await client.listPrompts(how) : [],
    skills,
  };
}

type Item = Tool | Resource | ResourceTemplate | Prompt | Skill;

/** The item of this name or URI. Throws `WrongUse` if no item has it. */
function named<T extends Item>(kind: ListKind, items: readonly T[], name: string): T {
  const nameOf = (item: Item): string => ('frontmatter' in item ? item.frontmatter.name : item.name);
  const uriOf = (item: object): string => ('uri' in item ? String(item.uri) : 'uriTemplate' in item ? String(item.uriTemplate) : '');
  const found = items.find((item) => nameOf(item) === name || uriOf(item) === name);
  if (found) return found;
  const names = items.flatMap((item) => [nameOf(item), uriOf(item)]).filter((one) => one !== '');
  throw new WrongUse(`among the ${kind} there is no ${visible(name)}${didYouMean(name, names) || `; there are ${names.slice(0, 30).map(visible).join(', ') || 'none'}`}`);
}

/** Shows items with all their members. */
function showWhole({ print, style, render }: CommandSession, { tools, resources, templates, prompts, skills }: OfferedItems, target: DescribeOptions['target']): void {
  const how: DescribeOptions = { style, columns: render.columns, target };
  const members = (item: object): string[] => Object.entries(item).map(([name, value]) =>
    `${style.dim(`${visible(name)}:`)} ${visible(typeof value === 'string' ? value : JSON.stringify(value))}`);
  const all = [
    ...tools.map((tool) => describeTool(tool, how)), ...prompts.map((prompt) => describePrompt(prompt, how)),
    ...resources.map(members), ...templates.map(members), ...skills.map(members),
  ];
  all.forEach((lines, at) => (at > 0 ? ['', ...lines] : lines).forEach(print));
}

function showTables({ client, print, style, render: { columns } }: CommandSession, { tools, resources, templates, prompts, skills }: OfferedItems): void {
  const { title, name = '(no name)', version = '' } = client.server ?? {};
  print(`${style.bold(visible(title ?? name))} ${visible(version)}, revision ${client.revision?.version}`);
  const show = (kind: string, heads: readonly string[], rows: readonly (readonly string[])[]): void => {
    if (rows.length === 0) return;
    print('');
    print(style.bold(`${kind} (${rows.length})`));
    for (const line of table(heads, rows, { columns, head: style.dim, whole: [0] })) print(line);
  };
  const said = (text: string | undefined): string => visible((text ?? '').split('\n', 1)[0] ?? '');
  show('Tools', ['name', 'hints', 'description'], tools.map(({ name: tool, description, annotations = {} }) => {
    const { readOnlyHint, destructiveHint } = annotations;
    const hint = readOnlyHint === true ? 'reads' : destructiveHint === false ? 'changes' : 'may destroy';
    return [visible(tool), hint, said(description)];
  }));
  show('Resources', ['uri', 'name'], resources.map((one) => [visible(one.uri), visible(one.title ?? one.name)]));
  show('Templates', ['template', 'name'], templates.map((one) => [visible(one.uriTemplate), visible(one.title ?? one.name)]));
  show('Prompts', ['name', 'arguments', 'description'], prompts.map((one) =>
    [visible(one.name), (one.arguments ?? []).map((argument) => `${visible(argument.name)}${argument.required ? '' : '?'}`).join(' '), said(one.description)]));
  show('Skills', ['uri', 'files', 'description'], skills.map(({ uri, resources: files, frontmatter }) =>
    [visible(uri), files === 'dynamic' ? 'dynamic' : String(files.length), said(frontmatter.description)]));
}
