import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { McpClient } from '../../client/index.ts';
import { version } from '../../judge/version.ts';
import { visible } from '../../explain/safe-text.ts';
import { replaceFile } from '../../host/node/replace-file.ts';
import type { ServerConfig } from '../../host/index.ts';
import { errorMessage } from '../../jsonrpc/internal-exports.ts';
import { parseTranscript } from '../../transcript/index.ts';
import { configurationOptions, readWords, refuseGiven } from '../client-options.ts';
import type { Command } from '../command.ts';
import type { CommandProcess } from '../command-process.ts';
import { configurationHelp, readConfiguration } from '../configuration.ts';
import { exitCodes, NotReached, WrongUse } from '../exit-codes.ts';
import { jsonLine } from '../json-line.ts';
import { compareLocked, itemsOf, parseLock, placeOf, recordedItems } from '../lock-file.ts';
import type { Lock, LockDifference, LockedServer } from '../lock-file.ts';
import { serverOpener } from '../open-server.ts';

export const command: Command = {
  usage: '[options] [SERVER] ...',
  about: 'Writes mcp.lock: how each configured server is started, and the digest of each tool, prompt, template and skill.',
  options: [
    ['--check', 'compares the servers with mcp.lock, writes nothing, and ends with 5 if they differ'],
    ['--file FILE', 'the lock; default: mcp.lock'],
    ['--recording FILE', 'with --check and one SERVER: a transcript of it (barewire record), and nothing is started'],
    ['--timeout N', 'seconds of silence after which a request counts as unanswered; 60'],
    ...configurationHelp,
    ['--json', 'prints the differences as JSON'],
  ],
  example: 'barewire lock --check',
  notes: ['A lock can only make a check fail: it permits nothing. What you accepted is kept in your own files.'],
  async run(words, proc) {
    const read = readWords(words, {
      ...configurationOptions, timeout: { type: 'string' }, json: { type: 'boolean' }, check: { type: 'boolean' }, file: { type: 'string' }, recording: { type: 'string' },
    }, true);
    const seconds = Number(read.text('timeout') ?? 60);
    if (!(seconds > 0 && seconds <= 86_400)) throw new WrongUse('--timeout takes a number of seconds');
    if (!read.flag('check')) refuseGiven(read, ['json'], 'needs --check');
    const file = read.text('file') ?? 'mcp.lock';
    const recording = read.text('recording');
    if (recording !== undefined) {
      const [server, ...others] = read.rest;
      if (!read.flag('check') || server === undefined || others.length > 0) throw new WrongUse('--recording needs --check and the name of one server in the lock');
      const items = await recordedItems(parseTranscript(await textOf(recording)));
      const { servers } = await lockOf(file);
      return report(proc, compareLocked(server, Object.hasOwn(servers, server) ? servers[server] : undefined, { items }, false), read.flag('json'));
    }
    const all = await readConfiguration(proc, { config: read.text('config'), from: read.text('from') });
    const names = read.rest.length > 0 ? read.rest : Object.keys(all).filter((name) => all[name]?.disabled !== true);
    const unknown = names.find((name) => !Object.hasOwn(all, name));
    if (unknown !== undefined) throw new WrongUse(`no server is called ${unknown}; there are ${Object.keys(all).join(', ') || 'none'}`);
    const lock = read.flag('check') ? await lockOf(file) : undefined;
    const now = new Map<string, LockedServer>();
    for (const name of names) now.set(name, await look(proc, name, all[name] as ServerConfig, seconds * 1000));
    if (lock) {
      const differences = names.flatMap((name) => compareLocked(name, Object.hasOwn(lock.servers, name) ? lock.servers[name] : undefined, now.get(name) as LockedServer, true));
      const gone = read.rest.length > 0 ? [] : Object.keys(lock.servers).filter((name) => !names.includes(name));
      return report(proc, [...differences, ...gone.map((name): LockDifference => ({ server: name, kind: 'server', name, locked: 'there', now: undefined }))], read.flag('json'));
    }
    // If servers are named, only their entries in an existing lock are replaced.
    const before = read.rest.length > 0 && existsSync(file) ? await lockOf(file) : undefined;
    // A map and `fromEntries`: a folder may call a server `__proto__`.
    const servers = new Map([...Object.entries(before?.servers ?? {}), ...now]);
    const sorted: Lock = { lockVersion: 1, servers: Object.fromEntries([...servers].sort(([a], [b]) => (a < b ? -1 : 1))) };
    await replaceFile(file, `${JSON.stringify(sorted, undefined, 2)}\n`, 0o644);
    proc.stdout.write(`${visible(file)} has ${names.map(visible).join(', ') || 'no server'}.\n`);
    return exitCodes.good;
  },
};

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    throw new WrongUse(`${file}: ${errorMessage(thrown)}`);
  }
}

async function lockOf(file: string): Promise<Lock> {
  const text = await textOf(file);
  try {
    return parseLock(text);
  } catch (thrown) {
    throw new WrongUse(`${file}: ${errorMessage(thrown)}`);
  }
}

/** Connects to a server, and lists its items. */
async function look(proc: CommandProcess, name: string, config: ServerConfig, timeoutMs: number): Promise<LockedServer> {
  const client = new McpClient({ name: 'barewire', version }, { limits: { timeoutMs, probeTimeoutMs: Math.min(timeoutMs, 15_000) } });
  let said = '';
  try {
    await client.connect(serverOpener(proc.env)(name, config, { trace: () => {}, onStderr: (line) => (said = line) }));
    return { ...placeOf(config), items: await itemsOf(client, { timeoutMs }) };
  } catch (thrown) {
    throw new NotReached(`${visible(name)} was not reached`, `${errorMessage(thrown)}${said === '' ? '' : `\nIt said: ${said}`}`);
  } finally {
    await client.close();
  }
}

function report(proc: CommandProcess, differences: readonly LockDifference[], json: boolean): number {
  if (json) proc.stdout.write(`${jsonLine(differences)}\n`);
  else if (differences.length === 0) proc.stdout.write('Nothing differs from the lock.\n');
  for (const one of json ? [] : differences) for (const line of linesOf(one)) proc.stdout.write(`${line}\n`);
  return differences.length === 0 ? exitCodes.good : exitCodes.notLocked;
}

const singular = { tools: 'tool', prompts: 'prompt', resourceTemplates: 'template', skills: 'skill' } as const;

function linesOf({ server, kind, name, locked, now }: LockDifference): string[] {
  const where = visible(server);
  if (kind === 'server') return [now === undefined ? `${where}: it is in the lock, and not in the configuration` : `${where}: it is not in the lock`];
  const what = kind === 'place' ? 'how it is started' : `${singular[kind]} ${visible(name)}`;
  const how = locked === undefined ? 'is not in the lock' : now === undefined ? 'is gone' : 'has changed';
  return [`${where}: ${what} ${how}`, ...locked === undefined ? [] : [`  - ${visible(locked)}`], ...now === undefined ? [] : [`  + ${visible(now)}`]];
}
