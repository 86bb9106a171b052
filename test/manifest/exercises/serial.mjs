// barewire/serial: both roles over a wire in memory, with lines and with frames.
import { McpClient } from 'barewire/client';
import { frames, lines, serialTransport, serveSerial } from 'barewire/serial';
import { McpServer } from 'barewire/server';

/** Two ends: the text written at one arrives later at the other. */
function wire() {
  const listeners = [];
  return [0, 1].map((end) => ({
    write: (bytes) => Promise.resolve().then(() => listeners[1 - end]?.(bytes)),
    read: (data) => { listeners[end] = data; },
  }));
}

export async function run() {
  const server = new McpServer({ name: 'exercise', version: '1' });
  server.tool('echo', {}, () => 'x');
  for (const framing of [lines, frames({ mtu: 20 })]) {
    const [near, far] = wire();
    const serving = serveSerial(server, far, { framing });
    const client = new McpClient({ name: 'test', version: '1' });
    await client.connect(serialTransport(near, { framing }));
    if ((await client.callTool('echo')).content[0].text !== 'x') throw new Error('no echo');
    await client.close();
    await serving.close();
  }
}
