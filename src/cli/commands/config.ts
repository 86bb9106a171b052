import { join } from 'node:path';
import { isProgram } from '../../host/index.ts';
import type { ServerConfig } from '../../host/index.ts';
import { linesTo } from '../../host/node/lines.ts';
import { visible } from '../../explain/safe-text.ts';
import type { Command } from '../command.ts';
import type { CommandProcess } from '../command-process.ts';
import { readWords, refuseGiven, serverOptions } from '../client-options.ts';
import type { ClientWords } from '../client-options.ts';
import { changeConfig } from '../config-change.ts';
import type { ConfigChange } from '../config-change.ts';
import { homeFolder, machineOf } from '../configuration.ts';
import { exitCodes, WrongUse } from '../exit-codes.ts';
import { fileOfHost, hostNames, isHostName, writtenServers } from '../installed-hosts.ts';
import { didYouMean } from '../near-miss.ts';
import { atProgram } from '../program-words.ts';
import { checkedName, describedServer } from '../server-words.ts';

const own = { ...serverOptions, from: { type: 'string' }, folder: { type: 'boolean' }, yes: { type: 'boolean', short: 'y' }, include: { type: 'string', multiple: true }, exclude: { type: 'string', multiple: true } } as const;

/** The options of each verb, besides `--folder`. */
const usedBy: Readonly<Record<string, readonly string[]>> = {
  add: ['yes', 'include', 'exclude', ...Object.keys(serverOptions)], remove: ['yes'], import: ['yes', 'from'], path: [],
};

type ConfigWords = Pick<ClientWords, 'flag' | 'text' | 'texts' | 'rest'>;

export const command: Command = {
  usage: 'add NAME ADDRESS | add NAME -- PROGRAM ... | remove NAME | import --from APP [NAME ...] | path',
  about: 'Changes the user\'s own file of servers: shows the difference, asks, and writes; the rest of the file does not change.',
  options: [
    ['--folder', 'the file of this folder, .mcp.json, instead of the user\'s own'],
    ['--yes', 'writes without a question'],
    ['--env NAME=VALUE', 'the program gets this; ${NAME} takes it from the environment of each start; may be given again'],
    ['--cwd FOLDER', 'the program starts there'],
    ['--header "N: V"', 'an address gets this header; may be given again'],
    ['--include TOOL', 'only these tools are offered; * is any run of characters; may be given again'],
    ['--exclude TOOL', 'these tools are not offered; * as before; may be given again'],
    ['--from APP', `the application to import from: ${hostNames.join(', ')}`],
  ],
  example: 'barewire config add files -- npx -y @modelcontextprotocol/server-filesystem /tmp',
  notes: [
    'Nothing is started. Values of variables and headers are not shown. Imported entries keep their variables, without the',
    'settings that only your own file may have (trusted, roots, maxSampledTokens).',
  ],
  async run(words, proc) {
    const { before, program } = atProgram(words);
    const read = readWords(before, own, true);
    const [verb = '', name, ...more] = read.rest;
    const used = Object.hasOwn(usedBy, verb) ? usedBy[verb] : undefined;
    if (used) refuseGiven(read, Object.keys(own).filter((option) => option !== 'folder' && !used.includes(option)), `has no effect on config ${verb}`);
    const place = placeOf(proc, read);
    switch (verb) {
      case 'path':
        if (name !== undefined) throw new WrongUse(`unexpected: ${name}`);
        proc.stdout.write(`${place.file}\n`);
        return exitCodes.good;
      case 'add': {
        const server = describedServer(read, more[0], program, read.flag('folder') ? undefined : proc.cwd());
        if (more.length > (program ? 0 : 1)) throw new WrongUse(`unexpected: ${more.at(-1)}`);
        return changeConfig(proc, { ...place, entries: new Map([[checkedName(name), { ...server, ...selectionOf(read) }]]) }, read.flag('yes'));
      }
      case 'remove':
        if (name === undefined || more.length > 0) throw new WrongUse('remove takes the name of one server');
        return changeConfig(proc, { ...place, entries: new Map([[name, undefined]]) }, read.flag('yes'));
      case 'import': return importServers(proc, read, place);
      default: throw new WrongUse(`config takes add, remove, import or path${didYouMean(verb, ['add', 'remove', 'import', 'path'])}`);
    }
  },
};

/** The `tools` filter of an entry, from `--include` and `--exclude`. */
function selectionOf({ texts }: ConfigWords): Pick<ServerConfig, 'tools'> {
  const [include, exclude] = [texts('include'), texts('exclude')];
  return { ...include.length + exclude.length > 0 && { tools: { ...include.length > 0 && { include }, ...exclude.length > 0 && { exclude } } } };
}

/** The configuration file to change. */
function placeOf(proc: CommandProcess, { flag }: ConfigWords): Omit<ConfigChange, 'entries'> {
  const member = 'mcpServers';
  return flag('folder') ? { file: join(proc.cwd(), '.mcp.json'), within: proc.cwd(), member } : { file: join(homeFolder(proc.env), 'servers.json'), member };
}

/** Copies the servers of an application, except those whose names exist already. */
async function importServers(proc: CommandProcess, read: ConfigWords, place: Omit<ConfigChange, 'entries'>): Promise<number> {
  const from = read.text('from') ?? '';
  if (!isHostName(from)) throw new WrongUse(`--from takes one of ${hostNames.join(', ')}`);
  const [theirs, mine] = [await writtenServers(fileOfHost(from, machineOf(proc), false)), await writtenServers(place.file)];
  const [, ...wanted] = read.rest;
  const unknown = wanted.find((name) => !Object.hasOwn(theirs, name));
  if (unknown !== undefined) throw new WrongUse(`${from} has no server ${visible(unknown)}${didYouMean(unknown, Object.keys(theirs))}`);
  const note = linesTo(proc.stderr);
  const entries = new Map<string, unknown>();
  for (const [name, server] of Object.entries(theirs)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    if (Object.hasOwn(mine, name)) note(`${visible(name)} exists already, and was not changed.`);
    else entries.set(name, copied(server));
  }
  if (entries.size === 0) {
    note(`There is nothing to import from ${from}.`);
    return exitCodes.good;
  }
  return changeConfig(proc, { ...place, entries }, read.flag('yes'));
}

/** The address or command, and settings that restrict the server. Permissions are not copied: users grant them in their own file. */
function copied(server: ServerConfig): Record<string, unknown> {
  const less = { ...server.disabled && { disabled: true }, ...server.tools && { tools: server.tools } };
  if (!isProgram(server)) return { url: server.url, ...server.headers && { headers: server.headers }, ...less };
  const { command: start, args, env, cwd } = server;
  return { command: start, ...args && { args }, ...env && { env }, ...cwd !== undefined && { cwd }, ...less };
}
