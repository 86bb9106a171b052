import { Host } from '../../host/index.ts';
import { fileLog } from '../../host/node/index.ts';
import { visible } from '../../explain/safe-text.ts';
import { name as nameOf } from '../../explain/words.ts';
import { errorMessage } from '../../jsonrpc/internal-exports.ts';
import { columnsFor, framed } from '../../host/node/frame.ts';
import { style } from '../../host/node/style.ts';
import { changeLines } from '../host-person.ts';
import type { Command } from '../command.ts';
import { configurationOptions, readWords } from '../client-options.ts';
import { configurationHelp, readConfiguration, userStore } from '../configuration.ts';
import { jsonLine } from '../json-line.ts';
import { didYouMean } from '../near-miss.ts';
import { linesTo } from '../../host/node/lines.ts';
import { serverOpener } from '../open-server.ts';
import { exitCodes, NotReached, WrongUse } from '../exit-codes.ts';
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
    const read = readWords(words, { ...configurationOptions, json: { type: 'boolean' }, accept: { type: 'boolean' } }, true);
    const { rest } = read;
    if (read.flag('accept') && rest.length === 0) throw new WrongUse('--accept needs the tools to accept, as SERVER/TOOL');
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
      const tools = await host.tools();
      const known = (await host.servers()).filter(({ disabled }) => !disabled);
      const down = new Map<string, string>();
      await Promise.all(known.map(({ name }) => host.refresh(name).catch((thrown: unknown) => void down.set(name, errorMessage(thrown)))));
      const changes = host.pendingChanges().filter(({ server, name }) => rest.length === 0 || rest.includes(`${server}/${name}`));
      const changed = changes.map(({ server, name }) => `${server}/${name}`);
      const names = [...changed, ...tools.map(({ server, tool }) => `${server}/${tool.name}`), ...known.flatMap(({ name, hidden }) => hidden.map((tool) => `${name}/${tool}`))];
      for (const word of rest) {
        const server = [...down.keys()].find((name) => word.startsWith(`${name}/`));
        if (server !== undefined) throw new NotReached(`${visible(server)} was not reached`, down.get(server));
        if (!names.includes(word)) throw new WrongUse(`no server has a tool ${word}${didYouMean(word, names)}`);
        if (read.flag('accept') && !changed.includes(word)) throw new WrongUse(`there is no pending change of ${word}`);
      }
      if (read.flag('json')) proc.stdout.write(`${jsonLine(changes)}\n`);
      for (const change of read.flag('json') ? [] : changes) {
        for (const line of changeLines(change, style(false), columnsFor(proc.stdout))) out(line);
      }
      if (read.flag('accept')) for (const change of changes) await host.acceptChange(change);
      // A server that was not reached may have changed.
      const [gone] = rest.length === 0 && changes.length === 0 ? down : [];
      if (gone) throw new NotReached(`${[...down.keys()].map(visible).join(', ')} ${down.size === 1 ? 'was' : 'were'} not reached`, gone[1]);
      if (!read.flag('accept') && !read.flag('json') && changes.length === 0) proc.stdout.write('No tool has changed since it was accepted.\n');
      return changes.length === 0 || read.flag('accept') ? exitCodes.good : exitCodes.refused;
    } finally {
      await host.close();
    }
  },
};
