import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { McpClient } from '../../src/client/index.ts';
import { httpTransport } from '../../src/transport/http/node/index.ts';

const built = existsSync(fileURLToPath(new URL('../../lib/', import.meta.url))) ? {} : { skip: 'dist/lib is not built' };

interface Worker {
  fetch(request: Request, environment: { STATE_KEY: string; HOST: string }): Promise<Response>;
}

/** An instance of the worker, as another machine would load it. */
async function instance(number: number): Promise<Worker> {
  const { default: worker } = await import(`${new URL('../../examples/worker.js', import.meta.url).href}?${number}`) as { default: Worker };
  return worker;
}

test('the worker example answers each request on another instance, also between a question and its answer', built, async () => {
  const STATE_KEY = Buffer.alloc(32, 7).toString('base64');
  let requests = 0;
  const http = createServer(async (request, response) => {
    const worker = await instance(requests++);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = await worker.fetch(new Request(`http://trips.example${request.url}`, {
      method: request.method ?? 'GET',
      headers: { ...request.headers as Record<string, string>, host: 'trips.example' },
      ...request.method === 'POST' && { body: Buffer.concat(chunks) },
    }), { STATE_KEY, HOST: 'trips.example' });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  const client = new McpClient({ name: 'test', version: '1.0.0' }, {
    era: 'modern', onElicit: () => ({ action: 'accept', content: { seat: 'aisle' } }),
  });
  try {
    await client.connect(httpTransport(`http://127.0.0.1:${port}/mcp`));
    const { content } = await client.callTool('book', { city: 'Oslo' });
    assert.deepEqual(content, [{ type: 'text', text: 'A aisle seat to Oslo.' }]);
    assert.ok(requests >= 3, String(requests));
    const elsewhere = await (await instance(0)).fetch(new Request('http://trips.example/'), { STATE_KEY, HOST: 'trips.example' });
    assert.equal(elsewhere.status, 404);
    const foreign = await (await instance(0)).fetch(new Request('http://evil.example/mcp', { method: 'POST', body: '{}' }), { STATE_KEY, HOST: 'trips.example' });
    assert.equal(foreign.status, 403);
  } finally {
    await client.close();
    http.closeAllConnections();
    http.close();
  }
});
