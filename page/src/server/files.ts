import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isOurHost } from './guard.ts';

const folder = new URL('../../ui/', import.meta.url);
const served: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
};

/** What the page may do: run its own script, use its own style, and speak with this server. */
const policy = (port: number): string => [
  "default-src 'none'", "script-src 'self'", "style-src 'self'", `connect-src ws://127.0.0.1:${port} ws://localhost:${port}`,
  "img-src data: blob:", 'media-src data: blob:', "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
  "require-trusted-types-for 'script'", "trusted-types 'none'",
].join('; ');

/** Serves the three files of the page, which hold no secret, to who asks for them by an address of this machine. */
export function filesOf(): (request: IncomingMessage, response: ServerResponse, port: number) => void {
  const texts = new Map(Object.entries(served).map(([path, [file, type]]) => [path, { type, text: readFileSync(new URL(file, folder)) }]));
  return ({ method, url = '/', headers: { host } }, response, port) => {
    const refuse = (status: number, why: string): void => {
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }).end(`${why}\n`);
    };
    if (!isOurHost(host, port)) return refuse(421, 'This server answers to 127.0.0.1 and localhost only.');
    const found = texts.get(url.split('?')[0] ?? '');
    if (!found) return refuse(404, 'There is no such file.');
    if (method !== 'GET' && method !== 'HEAD') return refuse(405, 'Files are read only.');
    response.writeHead(200, {
      'content-type': found.type, 'content-length': found.text.length, 'cache-control': 'no-store',
      'content-security-policy': policy(port), 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin', 'cross-origin-resource-policy': 'same-origin', 'x-frame-options': 'DENY',
    });
    response.end(method === 'HEAD' ? undefined : found.text);
  };
}
