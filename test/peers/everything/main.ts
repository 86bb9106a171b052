import { serveHttp } from '../../../src/transport/http/node/index.ts';
import { http1 } from '../../../src/transport/http1/node/index.ts';
import { everything } from './fixture.ts';

// npm run everything -- --port N [--http1]
const at = process.argv.indexOf('--port');
const port = at < 0 ? 0 : Number(process.argv[at + 1]);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  process.stderr.write('--port must be a number from 0 to 65535\n');
  process.exit(2);
}

const http = await serveHttp(everything(), {
  port,
  engine: process.argv.includes('--http1') ? http1 : undefined,
  onError: (error) => process.stderr.write(`${error.message}\n`),
});
process.stdout.write(`${http.url}\n`);

const stop = (): void => void http.close({ drainMs: 1000 });
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
