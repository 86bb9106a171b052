// One command: the machine, `barewire bridge --serial` in front of it, and a host that reads the sensor, answers a question, and
// continues after a reset of the device during a call. Needs python3, for the pseudo-terminal.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Host } from 'barewire/host';
import { openServer } from 'barewire/host/node';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const machine = spawn(process.execPath, [here('machine.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
const [name] = await once(machine.stdout.setEncoding('utf8'), 'data');
console.log(`a device at ${name.trim()}`);
const host = new Host({
  info: { name: 'desk', version: '1.0.0' },
  servers: { sensor: { command: process.execPath, args: [here('../../dist/lib/cli.js'), 'bridge', '--serial', name.trim(), '--mtu', '40', '--revision', '2025-11-25'] } },
  transport: openServer,
  rules: [{ server: 'sensor', then: 'allow' }],
  person: {
    approve: async () => ({ allow: false }),
    elicit: async ({ message }) => {
      console.log(`the device asks: ${message}`);
      return { action: 'accept', content: { celsius: 20.5 } };
    },
  },
});
const say = async (tool, args = {}) => console.log(`${tool}: ${(await host.call(`sensor/${tool}`, args)).content[0].text}`);
try {
  await say('read', { unit: 'F' });
  await say('calibrate');
  const lost = host.call('sensor/wait', {}).then(({ content }) => content[0].text, (error) => error.message);
  await new Promise((resolve) => setTimeout(resolve, 300));
  machine.kill('SIGHUP');
  console.log(`after a reset: ${await lost}`);
  await say('read');
} finally {
  await host.close();
  machine.kill('SIGTERM');
  await once(machine, 'exit');
}
