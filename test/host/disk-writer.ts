// Writes a log, a store and a recording until the disk refuses: `node disk-writer.js FOLDER`. Prints one line of JSON with the stored items
// and the reported failures.
import { join } from 'node:path';
import { openEntries } from '../../src/cli/entries-file.ts';
import { ActivityLog } from '../../src/host/activity-log.ts';
import { Host } from '../../src/host/host.ts';
import { fileLog, fileStore } from '../../src/host/node/index.ts';
import { errorMessage } from '../../src/jsonrpc/errors.ts';
import { McpServer } from '../../src/server/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';

const [, , folder = ''] = process.argv;
const failures: string[] = [];
const codeOf = (thrown: unknown): string => `${(thrown as { code?: string }).code ?? ''}: ${errorMessage(thrown)}`;

const log = new ActivityLog(fileLog(join(folder, 'activity.jsonl')), () => 1, (error) => failures.push(error.message));
let lines = 0;
for (let i = 0; i < 100; i++) {
  const before = failures.length;
  await log.record('asked', { i, text: 'x'.repeat(300) });
  if (failures.length === before) lines++;
}

const store = fileStore(join(folder, 'store'));
const sets: string[] = [];
for (const length of [10, 100_000]) sets.push(await store.set('key', 'y'.repeat(length)).then(() => 'kept', codeOf));

const recorded: string[] = [];
const entries = await openEntries(join(folder, 'session.wire'), 'w', (error) => recorded.push(error.message)).catch((thrown: unknown) => void recorded.push(errorMessage(thrown)));
for (let i = 0; i < 100; i++) entries?.write(`--> {"entry":${i},"text":"${'z'.repeat(300)}"}\n`);
const recordingFailed = await entries?.end() !== undefined;

const server = new McpServer({ name: 's', version: '1.0.0' });
let ran = 0;
server.tool('pay', { description: 'Pays', input: { type: 'object', properties: {} } }, () => `${++ran}`);
server.tool('large', { description: 'z'.repeat(100_000) }, () => 'large');
const host = new Host({
  info: { name: 'host', version: '1.0.0' }, servers: { s: { command: 's' } }, transport: () => memoryTransport(server), store,
  person: { approve: async () => ({ allow: 'always' }) },
});
const called = await host.call('s/pay').then(() => 'called', codeOf);
await host.close();

process.stdout.write(`${JSON.stringify({ lines, failures: failures.length, why: failures[0], sets, recorded, recordingFailed, called, ran })}\n`);
