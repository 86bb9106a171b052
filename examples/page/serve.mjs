// Serves this folder and dist/lib, to view the page: node examples/page/serve.mjs [PORT]
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { guarded } from 'barewire/http';

const root = fileURLToPath(new URL('../../', import.meta.url));
const types = { '.html': 'text/html', '.js': 'text/javascript' };

const http = createServer(guarded(() => ({ allowedOrigins: 'own', navigation: 'allowed' }), async (request, response) => {
  const url = URL.parse(request.url, 'http://localhost');
  const path = normalize((url?.pathname ?? '').replace(/\/$/, '/index.html'));
  const type = types[extname(path)];
  const allowed = /^\/(examples\/page|dist\/lib)\//.test(path) && type !== undefined;
  const text = allowed ? await readFile(root + path.slice(1)).catch(() => undefined) : undefined;
  response.writeHead(text ? 200 : 404, text && { 'content-type': type }).end(text);
}));
http.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${http.address().port}/examples/page/`);
});
