import { fileStore } from '../../src/oauth/node/index.ts';
import { call, selfLogin } from './login.ts';

// One of several processes with one store: says when it is ready, and makes one request when it is told to.
const [path = '', url = ''] = process.argv.slice(2);
process.stdout.write('ready\n');
process.stdin.once('data', async () => {
  const status = await call(selfLogin({ store: fileStore({ path }) }), url).catch((error: unknown) => String(error));
  process.stdout.write(`${status}\n`, () => process.exit());
});
