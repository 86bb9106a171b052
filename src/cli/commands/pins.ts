import { join } from 'node:path';
import { Host } from '../../host/index.ts';
import { fileLog, fileStore } from '../../host/node/index.ts';
import { visible } from '../../explain/safe-text.ts';
import type { Command } from '../command.ts';
import { readWords } from '../client-options.ts';
import { homeFolder, readConfiguration } from '../configuration.ts';
import { openServer } from '../open-server.ts';
import { exitCodes, WrongUse } from '../exit-codes.ts';
import { logFile } from './log.ts';

export const command: Command = {
  usage: '[options] [SERVER/TOOL] ...',
  about: 'Lists the servers of the configuration again, and shows every tool that is not what was accepted.',
  options: [
    ['--accept', 'accepts the named tools as they are now'],
    ['--config FILE', 'takes servers from this mcpServers file'],
    ['--from APP', 'takes servers from claude-desktop, claude-code, vscode or cursor'],
    ['--json', 'prints JSON'],
  ],
  example: 'barewire pins --accept files/write_file',
  async run(words) {
    const read = readWords(words, { accept: { type: 'boolean' } }, true);
    if (read.flag('accept') && read.rest.length === 0) throw new WrongUse('--accept needs the tools to accept, as SERVER/TOOL');
    const servers = await readConfiguration({ config: read.text('config'), from: read.text('from') });
    const host = new Host({
      info: { name: 'barewire', version: '0.1.0' },
      servers,
      transport: openServer,
      store: fileStore(join(homeFolder(), 'store')),
      log: fileLog(logFile()),
      onError: (error, server) => process.stderr.write(`${visible(server ?? 'barewire')}: ${visible(error.message)}\n`),
    });
    try {
      await host.tools();
      await Promise.all((await host.servers()).filter(({ disabled }) => !disabled).map(({ name }) => host.refresh(name).catch(() => {})));
      const changes = host.pendingChanges().filter(({ server, name }) => read.rest.length === 0 || read.rest.includes(`${server}/${name}`));
      if (read.flag('json')) process.stdout.write(`${JSON.stringify(changes)}\n`);
      for (const change of read.flag('json') ? [] : changes) {
        process.stdout.write(`${visible(change.server)}/${visible(change.name)} was ${change.kind}${change.formerly === undefined ? '' : ` (it was ${visible(change.formerly)})`}\n`);
        for (const line of change.diff) process.stdout.write(`  ${visible(line)}\n`);
      }
      if (read.flag('accept')) for (const change of changes) await host.acceptChange(change);
      else if (!read.flag('json') && changes.length === 0) process.stdout.write('Every tool is what was accepted.\n');
      return changes.length === 0 || read.flag('accept') ? exitCodes.good : exitCodes.refused;
    } finally {
      await host.close();
    }
  },
};
