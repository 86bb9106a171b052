import { createInterface } from 'node:readline';
import { fileStore } from '../../src/oauth/node/index.ts';
import { call, selfLogin } from './login.ts';

// One of several processes with one store. Prints when it is ready, and makes one request for each line on stdin, which has the store's
// path and the server's address.
process.stdout.write('ready\n');
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { path, url } = JSON.parse(line) as { path: string; url: string };
  const status = await call(selfLogin({ store: fileStore({ path }) }), url).catch((error: unknown) => String(error));
  process.stdout.write(`${status}\n`);
}).on('close', () => process.exit());
