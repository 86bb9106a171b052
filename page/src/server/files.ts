import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname } from 'node:path';

const folder = new URL('../../ui/', import.meta.url);
const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** The page may run its own script, use its own style, connect to this server, and show the sandbox. */
const policy = (port: number, frames: number | undefined): string => [
  "default-src 'none'", "script-src 'self'", "style-src 'self'", `connect-src ws://127.0.0.1:${port} ws://localhost:${port}`,
  ...frames === undefined ? [] : [`frame-src http://localhost:${frames} http://127.0.0.1:${frames}`],
  "img-src data: blob:", 'media-src data: blob:', "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
  "require-trusted-types-for 'script'", "trusted-types 'none'",
].join('; ');

/** Serves only the files that the build made for the page; they contain no secret. `frames`: the port of the sandbox. */
export function filesOf(frames?: number): (request: IncomingMessage, response: ServerResponse) => void {
  const texts = new Map(readdirSync(folder).map((file) => [file === 'index.html' ? '/' : `/${file}`, {
    type: `${types[extname(file)] ?? 'application/octet-stream'}; charset=utf-8`, text: readFileSync(new URL(file, folder)),
  }]));
  return ({ method, url = '/', socket: { localPort = 0 } }, response) => {
    const refuse = (status: number, why: string): void => {
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }).end(`${why}\n`);
    };
    const found = texts.get(url.split('?')[0] ?? '');
    if (!found) return refuse(404, 'There is no such file.');
    if (method !== 'GET' && method !== 'HEAD') return refuse(405, 'Files are read only.');
    response.writeHead(200, {
      'content-type': found.type, 'content-length': found.text.length, 'cache-control': 'no-store',
      'content-security-policy': policy(localPort, frames), 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin', 'cross-origin-resource-policy': 'same-origin', 'x-frame-options': 'DENY',
    });
    response.end(method === 'HEAD' ? undefined : found.text);
  };
}
