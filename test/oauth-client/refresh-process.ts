import { createInterface } from 'node:readline';
import { fileStore } from '../../src/oauth/node/index.ts';
import { call, selfLogin } from './login.ts';

// One of several processes with one store: says when it is ready, and makes one request for each line on stdin, which is
// the path of the store and the address of the server.
process.stdout.write('ready\n');
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { path, url } = JSON.parse(line) as { path: string; url: string };
  const status = await call(selfLogin({ store: fileStore({ path }) }), url).catch((error: unknown) => String(error));
  process.stdout.write(`${status}\n`);
}).on('close', () => process.exit());
