import { readFileSync } from 'node:fs';
import type { Prompt, Tool } from '../../protocol/index.ts';
import { visible } from '../../explain/safe-text.ts';
import { errorMessage } from '../../jsonrpc/internal-exports.ts';
import type { Command } from '../command.ts';
import { commonHelp, commonOptions, readClientWords } from '../client-options.ts';
import { exitCodes, WrongUse } from '../exit-codes.ts';
import { commentOf, keyOf, schemaType } from '../schema-type.ts';
import { withClient } from '../with-client.ts';

/** The most lines shown of a difference. */
const maxLines = 40;

const { defaults: _defaults, json: _json, ...withoutResults } = commonOptions;

export const command: Command = {
  usage: '[options] TARGET',
  about: 'Writes the tools and prompts of a server as a type, for McpClient<Server>.',
  options: [
    ['--check FILE', 'writes nothing; ends with 1 if FILE differs'],
    ['--name NAME', 'the name of the type; Server'],
    ...commonHelp.filter(([words]) => !words.startsWith('--json') && !words.startsWith('--defaults')),
  ],
  example: 'barewire types -- node server.mjs > server.d.ts',
  notes: ['In a program: import type { Server } from \'./server.d.ts\'; new McpClient<Server>(info). It adds nothing to what runs.'],
  async run(words, proc) {
    const read = await readClientWords(proc, words, { ...withoutResults, check: { type: 'string' }, name: { type: 'string' } });
    if (read.rest.length > 0) throw new WrongUse(`types takes one server; unexpected: ${read.rest[0]}`);
    const name = read.text('name') ?? 'Server';
    if (!/^[A-Za-z_$][\w$]*$/.test(name)) throw new WrongUse('--name takes the name of a type');
    const file = read.text('check');
    const kept = file === undefined ? undefined : contentOf(file);
    return withClient(read, async ({ client, how, write, note }) => {
      const has = client.capabilities ?? {};
      const text = serverType(name, has.tools ? await client.listTools(how) : [], has.prompts ? await client.listPrompts(how) : []);
      if (kept === undefined) write(text);
      else if (kept !== text) {
        note(`${file} differs from the server's tools and prompts:`);
        differences(kept, text).forEach(note);
        return exitCodes.failed;
      }
      return exitCodes.good;
    });
  },
};

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
  } catch (thrown) {
    throw new WrongUse(errorMessage(thrown));
  }
}

/** The declaration of a type for `McpClient<Server>`. The order of the lists does not change the text. */
export function serverType(name: string, tools: readonly Tool[], prompts: readonly Prompt[]): string {
  const sorted = <T extends { readonly name: string }>(items: readonly T[]): T[] => [...items].sort((a, b) => (a.name < b.name ? -1 : 1));
  const inPlace = '      ';
  return [
    '// Written by `barewire types`: the tools and prompts of a server, for McpClient. Write it again, or compare it with --check.',
    '', `export interface ${name} {`, '  tools: {',
    ...sorted(tools).flatMap((tool) => [
      ...commentOf(tool, '    '), `    ${keyOf(tool.name)}: {`,
      `${inPlace}input: ${schemaType(tool.inputSchema, inPlace)};`,
      `${inPlace}output: ${tool.outputSchema ? schemaType(tool.outputSchema, inPlace) : 'unknown'};`, '    };',
    ]),
    '  };', '  prompts: {',
    ...sorted(prompts).flatMap((prompt) => [...commentOf(prompt, '    '), `    ${keyOf(prompt.name)}: ${promptType(prompt)};`]),
    '  };', '}', '',
  ].join('\n');
}

function promptType({ arguments: fields = [] }: Prompt): string {
  if (fields.length === 0) return 'Record<string, never>';
  return `{ ${fields.map(({ name, required }) => `${keyOf(name)}${required ? '' : '?'}: string`).join('; ')} }`;
}

/** The lines that only one of the two texts has. */
function differences(before: string, after: string): string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const [had, has] = [new Set(old), new Set(now)];
  const lines = [...old.filter((line) => !has.has(line)).map((line) => `- ${visible(line)}`), ...now.filter((line) => !had.has(line)).map((line) => `+ ${visible(line)}`)];
  return [...lines.slice(0, maxLines), ...lines.length > maxLines ? [`… ${lines.length - maxLines} lines more`] : [], ...lines.length === 0 ? ['its lines are in another order'] : []];
}
