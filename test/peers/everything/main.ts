import { parseArgs } from 'node:util';
import { skills } from '../../../src/skills/index.ts';
import { serveHttp } from '../../../src/transport/http/node/index.ts';
import { http1 } from '../../../src/transport/http1/node/index.ts';
import { everything } from './fixture.ts';

// npm run everything -- --port N [--http1]
const { values } = parseArgs({ options: { port: { type: 'string', default: '0' }, http1: { type: 'boolean' } } });
const port = Number(values.port);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  process.stderr.write('--port must be a number from 0 to 65535\n');
  process.exit(2);
}

const server = everything();
await skills(server, [
  { path: 'git-workflow', files: {
    'SKILL.md': '---\nname: git-workflow\ndescription: How this team names branches and commits\nlicense: MIT\nmetadata:\n  version: "1.0"\n---\n\nSee references/branches.md.\n',
    'references/branches.md': 'One branch a change.\n',
  } },
  { path: 'acme/refunds', files: { 'SKILL.md': '---\nname: refunds\ndescription: >-\n  How an order is\n  refunded\n---\n\nAsk for the order first.\n' } },
], { cache: { ttlMs: 1_000, scope: 'public' }, pageSize: 1 });
const http = await serveHttp(server, {
  port,
  engine: values.http1 ? http1 : undefined,
  onError: (error) => process.stderr.write(`${error.message}\n`),
});
process.stdout.write(`${http.url}\n`);

const stop = (): void => void http.close({ drainMs: 1000 });
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
