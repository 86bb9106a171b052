import { visible } from '../../explain/safe-text.ts';
import type { Command } from '../command.ts';
import { commonHelp, readClientWords } from '../client-options.ts';
import { exitCodes, WrongUse } from '../exit-codes.ts';
import { outputColumns } from '../output.ts';
import { table } from '../terminal.ts';
import { jsonLine } from '../json-line.ts';
import { withClient } from '../with-client.ts';

const kinds = ['tools', 'resources', 'templates', 'prompts'] as const;

export const command: Command = {
  usage: '[options] TARGET [tools] [resources] [templates] [prompts]',
  about: 'Lists what a server offers; without a kind, all of it.',
  options: commonHelp,
  example: 'barewire list tools -- npx -y @modelcontextprotocol/server-everything',
  async run(words) {
    const read = await readClientWords(words);
    const unknown = read.rest.find((word) => !kinds.some((kind) => kind === word));
    if (unknown !== undefined) throw new WrongUse(`${unknown} is no kind; there are ${kinds.join(', ')}`);
    const wanted = kinds.filter((kind) => read.rest.length === 0 || read.rest.includes(kind));
    return withClient(read, async ({ client, how, json, print, style }) => {
      const has = client.capabilities ?? {};
      const tools = wanted.includes('tools') && has.tools ? await client.listTools(how) : [];
      const resources = wanted.includes('resources') && has.resources ? await client.listResources(how) : [];
      const templates = wanted.includes('templates') && has.resources ? await client.listResourceTemplates(how) : [];
      const prompts = wanted.includes('prompts') && has.prompts ? await client.listPrompts(how) : [];
      if (json) {
        print(jsonLine({ server: client.server, revision: client.revision?.version, tools, resources, templates, prompts }));
        return exitCodes.good;
      }
      const { title, name = '(no name)', version = '' } = client.server ?? {};
      print(`${style.bold(visible(title ?? name))} ${visible(version)}, revision ${client.revision?.version}`);
      const columns = outputColumns();
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
      return exitCodes.good;
    });
  },
};
