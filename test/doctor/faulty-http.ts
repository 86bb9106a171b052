// The faulty server over HTTP; closed when the test ends.
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { answer } from './faulty.ts';
import type { Told } from './faulty.ts';

const session = '8a1b-session';
const page = 'https://page.example';

/** The address of a server with this fault. */
export async function faultyHttp(t: TestContext, fault: string): Promise<string> {
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk)).on('end', () => serve(request, response, text, fault));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

function serve(request: IncomingMessage, response: ServerResponse, text: string, fault: string): void {
  const { method = '', url = '', headers } = request;
  const end = (status: number, fields: Record<string, string> = {}, body: string = ''): void => void response.writeHead(status, fields).end(body);
  const html = { 'content-type': 'text/html' };
  const cors = fault === 'cors-missing' ? {} : { 'access-control-allow-origin': page, 'access-control-expose-headers': 'mcp-session-id' };
  if (fault === 'connection-lost') return void request.socket.destroy();
  if (fault === 'old-transport') return oldTransport(method, url, response, text);
  if (fault === 'wrong-path' && url === '/mcp') return end(404, html, '<h1>Not found</h1>');
  if (fault === 'wrong-path-405' && url === '/mcp') return end(405);
  if (fault === 'wrong-path-page' && url !== '/api/mcp') return end(200, html, '<h1>Welcome</h1>');
  if (fault === 'redirected') return end(302, { location: 'https://elsewhere.example/mcp' });
  if (fault === 'unauthorized') return end(401, { 'www-authenticate': 'Bearer resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource"' });
  if (fault === 'challenge-missing') return end(401, {}, 'who are you?');
  if (fault === 'forbidden') return end(403, {}, 'not from here');
  if (fault === 'host-refused') return end(403, {}, 'Invalid Host header');
  if (fault === 'server-error') return end(502, html, '<h1>Bad Gateway</h1>');
  if (fault === 'rate-limited') return end(429, { 'retry-after': '60' });
  if (fault === 'not-acceptable') return end(406, {}, 'text/event-stream only');
  if (fault === 'no-answer') return;
  const { origin } = headers;
  if (origin !== undefined && fault !== 'origin-unchecked' && (origin !== page || fault === 'origin-refused')) return end(403, {}, 'origin not allowed');
  if (method === 'OPTIONS') return end(204, cors);
  if (method === 'DELETE') return end(200);
  if (method === 'GET') return fault === 'get-wrong' ? end(200, html, '<h1>Hello</h1>') : end(405);
  const told = JSON.parse(text) as Told;
  if (told.method !== 'initialize') {
    if (headers['mcp-session-id'] !== session && fault !== 'session-not-404' && fault !== 'session-id-odd' && !fault.startsWith('modern')) return end(404, {}, 'no such session');
    if (headers['mcp-protocol-version'] === '1999-01-01' && fault !== 'version-header-unchecked') return end(400, {}, 'unsupported protocol version');
  }
  if (told.id === undefined) return end(fault === 'notification-status' ? 200 : 202);
  const answered = answer(told, fault);
  const body = JSON.stringify({ jsonrpc: '2.0', id: told.id, ...answered });
  const fields: Record<string, string> = {
    'content-type': 'application/json', ...origin !== undefined && cors,
    ...told.method === 'initialize' && !fault.startsWith('modern') && { 'mcp-session-id': fault === 'session-id-odd' ? 'a b' : session },
  };
  if (fault === 'content-type-missing') delete fields['content-type'];
  if (fault === 'content-type-wrong') fields['content-type'] = 'text/plain';
  if (fault === 'body-no-message') return end(200, fields, '{"ok":true}');
  if (fault === 'body-empty') return end(202);
  if (fault.startsWith('modern') && answered && 'error' in answered) return end(404, fields, body);
  end(200, fields, body);
}

let stream: ServerResponse | undefined;

function oldTransport(method: string, url: string, response: ServerResponse, text: string): void {
  if (url === '/mcp' && method === 'GET') {
    stream = response;
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: endpoint\ndata: /messages\n\n');
    return;
  }
  if (url !== '/messages') return void response.writeHead(405).end();
  const told = JSON.parse(text) as Told;
  response.writeHead(202).end();
  if (told.id !== undefined) stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: told.id, ...answer(told, '') })}\n\n`);
}
