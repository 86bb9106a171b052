import { join } from 'node:path';
import type { ServerConfig } from '../../host/index.ts';
import type { Command } from '../command.ts';
import type { CommandProcess } from '../command-process.ts';
import { readWords, refuseGiven, serverOptions } from '../client-options.ts';
import { changeConfig } from '../config-change.ts';
import { homeFolder, machineOf } from '../configuration.ts';
import { WrongUse } from '../exit-codes.ts';
import { entryFor, fileOfHost, hostNames, hostOf, isHostName, writtenServers } from '../installed-hosts.ts';
import { didYouMean } from '../near-miss.ts';
import { atProgram } from '../program-words.ts';
import { checkedName, describedServer } from '../server-words.ts';

const own = { ...serverOptions, folder: { type: 'boolean' }, yes: { type: 'boolean', short: 'y' }, name: { type: 'string' }, remove: { type: 'boolean' } } as const;

export const command: Command = {
  usage: `[options] ${hostNames.join(' | ')} TARGET`,
  about: 'Writes a server into the configuration of a host: shows the difference, asks, and writes; the rest does not change.',
  options: [
    ['--name NAME', 'its name in the host; default: its name in your configuration'],
    ['--folder', 'the file that the host reads in this folder, instead of the user\'s own'],
    ['--remove', 'removes the server of this name'],
    ['--yes', 'writes without a question'],
    ['--env NAME=VALUE', 'the program gets this; may be given again'],
    ['--cwd FOLDER', 'the program starts there'],
    ['--header "N: V"', 'an address gets this header; may be given again'],
  ],
  example: 'barewire install cursor --name everything -- npx -y @modelcontextprotocol/server-everything',
  notes: [
    'TARGET is a name from servers.json, an address, or a program after "--". Nothing is started. Values of variables and',
    'headers are not shown, and variables stay references, in the syntax of the host. Most hosts read the file at their start.',
  ],
  async run(words, proc) {
    const { before, program } = atProgram(words);
    const read = readWords(before, own, true);
    const [host = '', target, more] = read.rest;
    if (!isHostName(host)) throw new WrongUse(`install takes one of ${hostNames.join(', ')}${didYouMean(host, hostNames)}`);
    if (more !== undefined || (program && target !== undefined)) throw new WrongUse(`unexpected: ${more ?? target}`);
    const folder = read.flag('folder');
    const known = hostOf(host);
    const place = { file: fileOfHost(host, machineOf(proc), folder), within: folder ? proc.cwd() : undefined, member: known.member };
    if (read.flag('remove')) {
      refuseGiven(read, Object.keys(serverOptions), 'has no effect with --remove');
      const gone = read.text('name') ?? target;
      if (gone === undefined) throw new WrongUse('the name of the server is missing');
      return changeConfig(proc, { ...place, entries: new Map([[gone, undefined]]) }, read.flag('yes'));
    }
    const configured = program || target === undefined || /^https?:\/\//i.test(target) ? undefined : await configuredServer(proc, target);
    if (configured) refuseGiven(read, Object.keys(serverOptions), `is for a program or an address of the command line, and ${target} is from your configuration`);
    const server = configured ?? describedServer(read, target, program, folder ? undefined : proc.cwd());
    const name = checkedName(read.text('name') ?? (configured ? target : undefined));
    return changeConfig(proc, { ...place, entries: new Map([[name, entryFor(host, known, server)]]) }, read.flag('yes'));
  },
};

/** A server from the user's own file, with its variables not expanded. */
async function configuredServer(proc: CommandProcess, name: string): Promise<ServerConfig> {
  const servers = await writtenServers(join(homeFolder(proc.env), 'servers.json'));
  const found = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (!found) throw new WrongUse(`no server of your own is called ${name}${didYouMean(name, Object.keys(servers))}`);
  return found;
}
