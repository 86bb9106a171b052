import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { frames, lines, serialTransport, serveSerial } from '../../src/transport/serial/index.ts';
import type { SerialFraming, SerialServing } from '../../src/transport/serial/index.ts';
import { serialPort } from '../../src/transport/serial/node/index.ts';
import { stdioTransport } from '../../src/transport/stdio/index.ts';

const here = (path: string): string => new URL(`../../../${path}`, import.meta.url).pathname;
const skip = spawnSync('python3', ['-c', 'import pty']).status === 0 ? false : 'there is no python3 with pty';

/** A pseudo-terminal with a server behind it; `path` is its other end. */
async function device(t: TestContext, framing: SerialFraming): Promise<{ path: string; serving: SerialServing }> {
  const terminal = spawn('python3', [here('examples/device/terminal.py')]);
  t.after(() => terminal.kill());
  const [name] = await once(terminal.stderr.setEncoding('utf8'), 'data') as [string];
  const server = new McpServer({ name: 'sensor', version: '1.0.0' });
  server.tool('read', {}, async (_args, ctx) => {
    const answer = await ctx.elicit('Which unit?', { unit: { type: 'string' } });
    return answer.action === 'accept' ? `21 ${answer.content.unit}` : '21';
  });
  const serving = serveSerial(server, {
    write: (bytes) => void terminal.stdin.write(bytes),
    read: (data, closed) => {
      terminal.stdout.on('data', data);
      terminal.once('exit', () => closed());
    },
  }, { framing });
  return { path: name.trim(), serving };
}

const onElicit = (): { action: 'accept'; content: { unit: string } } => ({ action: 'accept', content: { unit: '°C' } });

for (const [name, framing] of [['frames', frames({ mtu: 40 })], ['lines', lines]] as const) {
  test(`serialPort: a server behind a terminal, over ${name}`, { skip }, async (t) => {
    const { path, serving } = await device(t, framing);
    const client = new McpClient({ name: 'test', version: '1.0.0' }, { onElicit });
    await client.connect(serialTransport(serialPort(path, { baud: 9600 }), { framing }));
    assert.deepEqual((await client.callTool('read')).content, [{ type: 'text', text: '21 °C' }]);
    await client.close();
    await serving.close();
  });
}

test('barewire bridge --serial: a host sees a server over stdio', { skip }, async (t) => {
  const { path, serving } = await device(t, frames());
  const client = new McpClient({ name: 'host', version: '1.0.0' }, { onElicit });
  await client.connect(stdioTransport(process.execPath, [here('dist/lib/cli.js'), 'bridge', '--serial', path, '--baud', '115200']));
  assert.deepEqual((await client.listTools()).map(({ name }) => name), ['read']);
  assert.deepEqual((await client.callTool('read')).content, [{ type: 'text', text: '21 °C' }]);
  await client.close();
  await serving.close();
});

test('serialPort: a file that is not a terminal, and a speed that it does not have, are refused', { skip }, async (t) => {
  assert.throws(() => serialPort('/dev/null'), /is not a serial port/);
  assert.throws(() => serialPort('/dev/there-is-none'), /ENOENT/);
  const { path } = await device(t, lines);
  assert.throws(() => serialPort(path, { baud: 12_345 }), /was not set to 12345 baud/);
});
