import { Host } from '../../host/index.ts';
import { fileLog } from '../../host/node/index.ts';
import { name as nameOf } from '../../explain/words.ts';
import { columnsFor, framed } from '../../host/node/frame.ts';
import { style } from '../../host/node/style.ts';
import { changeLines } from '../host-person.ts';
import type { Command } from '../command.ts';
import { readWords } from '../client-options.ts';
import { configurationHelp, readConfiguration, userStore } from '../configuration.ts';
import { jsonLine } from '../json-line.ts';
import { linesTo } from '../../host/node/lines.ts';
import { serverOpener } from '../open-server.ts';
import { exitCodes, WrongUse } from '../exit-codes.ts';
import { logFile } from './log.ts';
import { version } from '../../judge/version.ts';

export const command: Command = {
  usage: '[options] [SERVER/TOOL] ...',
  about: 'Lists the servers of the configuration again, and shows every tool that has changed since it was accepted.',
  options: [
    ['--accept', 'accepts the current definition of the named tools'],
    ...configurationHelp,
    ['--json', 'prints JSON'],
  ],
  example: 'barewire pins --accept files/write_file',
  async run(words, proc) {
    const read = readWords(words, { accept: { type: 'boolean' } }, true);
    if (read.flag('accept') && read.rest.length === 0) throw new WrongUse('--accept needs the tools to accept, as SERVER/TOOL');
    const [out, err] = [linesTo(proc.stdout), linesTo(proc.stderr)];
    const servers = await readConfiguration(proc, { config: read.text('config'), from: read.text('from') });
    const host = new Host({
      info: { name: 'barewire', version },
      servers,
      transport: serverOpener(proc.env),
      store: userStore(proc.env),
      log: fileLog(logFile(proc.env)),
      onError: (error, server) => {
        for (const row of [`${nameOf(server ?? 'barewire')}:`, ...framed(error.message, { columns: columnsFor(proc.stderr) })]) err(row);
      },
    });
    try {
      await host.tools();
      await Promise.all((await host.servers()).filter(({ disabled }) => !disabled).map(({ name }) => host.refresh(name).catch(() => {})));
      const changes = host.pendingChanges().filter(({ server, name }) => read.rest.length === 0 || read.rest.includes(`${server}/${name}`));
      if (read.flag('json')) proc.stdout.write(`${jsonLine(changes)}\n`);
      for (const change of read.flag('json') ? [] : changes) {
        for (const line of changeLines(change, style(false), columnsFor(proc.stdout))) out(line);
      }
      if (read.flag('accept')) for (const change of changes) await host.acceptChange(change);
      else if (!read.flag('json') && changes.length === 0) proc.stdout.write('No tool has changed since it was accepted.\n');
      return changes.length === 0 || read.flag('accept') ? exitCodes.good : exitCodes.refused;
    } finally {
      await host.close();
    }
  },
};
