// An order that arrives although its worker is killed twice.
//
//   node dist/examples/durable/main.js
//
// The worker is another process. It is killed after the card is charged but not recorded, and again after the parcel is sent but
// not recorded. The next worker reads the journal, does the rest, and passes the same keys to the bank and the carrier, so that
// each acts only once.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { memoryTransport } from 'barewire/memory';
import { TaskClient, tasks } from 'barewire/tasks';
import { folderStore } from 'barewire/tasks/node';
import { createShop } from './shop.ts';

const folder = await mkdtemp(join(tmpdir(), 'barewire-shop-'));
/** Outputs of a worker after which it is killed; once each. */
const deadly = ['charged', 'shipped'];
let worker: ChildProcess;
let closing = false;

function hire(): void {
  const hired = spawn(process.execPath, [fileURLToPath(new URL('worker.js', import.meta.url)), folder], { stdio: ['pipe', 'pipe', 'inherit'] });
  worker = hired;
  createInterface(hired.stdout).on('line', (said) => {
    console.log(`worker: ${said}`);
    const at = deadly.findIndex((word) => said.startsWith(word));
    if (at < 0) return;
    deadly.splice(at, 1);
    console.log('        killed, before it could write that down');
    hired.kill('SIGKILL');
  });
  hired.once('exit', () => {
    if (!closing) hire();
  });
}

// The server for clients runs no task itself.
const server = createShop(folder);
const desk = tasks(server, { store: await folderStore(join(folder, 'tasks')), work: false });
hire();
const client = new TaskClient({ name: 'buyer', version: '1.0.0' }, {
  onElicit: ({ message }) => {
    console.log(`buyer:  ${message} To Oslo.`);
    return { action: 'accept', content: { city: 'Oslo' } };
  },
});
await client.connect(memoryTransport(server));
const { content: [answer] } = await client.callTool('order', { lamp: 'brass lamp' });
console.log(`result: ${answer?.type === 'text' ? answer.text : ''}`);
const world = (await readFile(join(folder, 'world.txt'), 'utf8')).trim().split('\n');
console.log(`world:  ${world.map((line) => line.split(' ')[0]).join(', ')}; each once`);

closing = true;
worker!.kill('SIGKILL');
await client.close();
await desk.close();
await rm(folder, { recursive: true, force: true });
