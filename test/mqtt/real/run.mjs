// Servers and a host over mosquitto (Debian's) with MQTT.js: two servers of one name and one of another, a question, the last
// will of a killed process, and a restarted broker. Both eras.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import mqtt from 'mqtt';
import { McpClient } from '../../../dist/lib/client.js';
import { Host } from '../../../dist/lib/host.js';
import { mqttTransport } from '../../../dist/lib/mqtt.js';
import { readWords } from '../../../scripts/words.mjs';

readWords();

const program = ['mosquitto', '/usr/sbin/mosquitto'].find((path) => !spawnSync(path, ['-h']).error);
if (!program) {
  console.log('not run: there is no mosquitto');
  process.exit(process.env.CI ? 1 : 0);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

const folder = mkdtempSync(join(tmpdir(), 'barewire-mqtt-'));
const port = await freePort();
const url = `mqtt://127.0.0.1:${port}`;
writeFileSync(join(folder, 'broker.conf'), `listener ${port} 127.0.0.1\nallow_anonymous true\npersistence false\n`);
const children = new Set();

function start(command, args) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** Resolves when the text appears in the stream. */
function says(stream, text) {
  return new Promise((resolve, reject) => {
    let said = '';
    stream.on('data', (data) => {
      said += data;
      if (said.includes(text)) resolve();
    });
    stream.once('end', () => reject(new Error(`ended without "${text}": ${said}`)));
  });
}

async function startBroker() {
  const broker = start(program, ['-v', '-c', join(folder, 'broker.conf')]);
  await says(broker.stderr, 'running');
  broker.stderr.resume();
  return broker;
}

async function startServer(name, id) {
  const child = start(process.execPath, [fileURLToPath(new URL('server.mjs', import.meta.url)), url, name, id]);
  await says(child.stdout, 'online');
  return child;
}

async function stop(child, signal) {
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

const connect = (settings) => mqtt.connect(url, settings);
const textOf = ({ content }) => content[0].text;

/** Retries until it resolves: after a restart the others must reconnect first. */
async function until(attempt) {
  for (let left = 100; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

try {
  let broker = await startBroker();
  for (const era of ['2025-11-25', '2026-07-28']) {
    const servers = { one: await startServer('home/attic', 'one') };
    const client = new McpClient({ name: 'test', version: '1.0.0' }, { revisions: [era], onElicit: () => ({ action: 'accept', content: { unit: 'K' } }) });
    await client.connect(mqttTransport(connect, { server: 'home/attic' }));
    assert.equal(textOf(await client.callTool('ask')), 'one in K');
    servers.two = await startServer('home/attic', 'two');
    console.log(`ok ${era}: a question and its answer`);

    const lost = assert.rejects(client.callTool('never'), /went offline/);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await stop(servers.one, 'SIGKILL');
    await lost;
    assert.equal(textOf(await client.callTool('who')), 'two');
    console.log(`ok ${era}: the last will of a killed process ends its calls; the next one goes to the other process`);

    await stop(broker, 'SIGKILL');
    broker = await startBroker();
    assert.equal(textOf(await until(() => client.callTool('who'))), 'two');
    console.log(`ok ${era}: a broker that was killed and started again`);
    await client.close();
    await stop(servers.two, 'SIGTERM');
  }

  const [attic, cellar] = [await startServer('home/attic', 'a'), await startServer('home/cellar', 'c')];
  const host = new Host({
    info: { name: 'test', version: '1.0.0' },
    servers: { attic: { url: 'http://broker.invalid/attic' }, cellar: { url: 'http://broker.invalid/cellar' } },
    transport: (name) => mqttTransport(connect, { server: `home/${name}` }),
    rules: [{ tool: 'who', then: 'allow' }],
  });
  assert.equal((await host.tools()).length, 6);
  assert.equal(textOf(await host.call('attic/who', {})), 'a');
  assert.equal(textOf(await host.call('cellar/who', {})), 'c');
  console.log('ok two servers in one host');
  await host.close();
  await stop(attic, 'SIGTERM');
  await stop(cellar, 'SIGTERM');
  await stop(broker, 'SIGTERM');
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
