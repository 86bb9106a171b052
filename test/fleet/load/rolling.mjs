// npm run fleet:rolling -- [--rounds N] [--clients N]
//
// A rolling restart under load: each of four processes in turn is ended by `close` and started again; first each is removed from nginx's
// list before, then not. Counts failed calls, and exits 1 if a call failed although its process had been removed. Uses Redis, and
// barewire's client, which does not retry at all.
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { McpClient } from '../../../dist/lib/client.js';
import { httpTransport } from '../../../dist/lib/http.js';
import { freePorts } from '../../../dist/test/free-ports.js';
import { engines } from './engines.mjs';
import { startNginx } from './nginx.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '1' }, clients: { type: 'string', default: '24' } } });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const engine = await engines.redis.start();
const [publicPort, ...ports] = await freePorts(5);
// After a reload, an old nginx worker closes idle client connections even if a request is on its way. nginx 1.27.4 and later have
// `keepalive_min_timeout` against that; Debian's version is older.
const nginx = engine && await startNginx(publicPort, ports, 'keepalive_timeout 0;');
if (!nginx) {
  console.log('not run: there is no redis-server, or no nginx');
  process.exit();
}
const key = randomBytes(32).toString('base64');
const program = fileURLToPath(new URL('process.mjs', import.meta.url));
const start = async (port) => {
  const child = fork(program, ['redis', engine.at, port, publicPort, key, '/dev/null', 3000].map(String), {
    execArgv: ['--expose-gc'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return child;
};
const crew = await Promise.all(ports.map(start));

const tally = { calls: 0, failures: [] };
let over = false;
const revisions = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
const clients = await Promise.all(Array.from({ length: Number(values.clients) }, async (_, i) => {
  const client = new McpClient({ name: 'rolling', version: '1' }, { revisions: [revisions[i % revisions.length]] });
  await client.connect(httpTransport(`http://127.0.0.1:${publicPort}/mcp`));
  return client;
}));
const loops = clients.map(async (client, i) => {
  for (let n = 0; !over; n++) {
    const call = `${i}-${n}`;
    const args = n % 3 === 0 ? ['steps', { call, count: 5, ms: 20 }] : ['echo', { call }];
    try {
      const { content } = await client.callTool(...args);
      if (content[0].text !== call) throw new Error(`a wrong answer: ${content[0].text}`);
    } catch (thrown) {
      tally.failures.push(`${args[0]}: ${thrown.message.split('\n')[0].slice(0, 120)}`);
    }
    tally.calls++;
    await pause(40);
  }
});

async function roll(listed) {
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [i, port] of ports.entries()) {
      if (listed) await nginx.list(ports.filter((other) => other !== port));
      crew[i].send('close');
      await once(crew[i], 'exit');
      crew[i] = await start(port);
      if (listed) await nginx.list(ports);
      await pause(300);
    }
  }
}

const counted = {};
for (const [name, listed] of [['taken out of the list first', true], ['not taken out', false]]) {
  [tally.calls, tally.failures] = [0, []];
  await roll(listed);
  counted[name] = tally.failures.length;
  const kinds = [...new Set(tally.failures)].map((why) => `  ${tally.failures.filter((one) => one === why).length} × ${why}`);
  console.log(`${name}: ${tally.calls} calls, ${tally.failures.length} failed, ${values.rounds} × 4 restarts`);
  for (const line of kinds) console.log(line);
}
over = true;
await Promise.all(loops);
await Promise.all(clients.map((client) => client.close()));
for (const child of crew) child.kill('SIGKILL');
await nginx.stop();
await engine.stop();
process.exit(counted['taken out of the list first'] === 0 ? 0 : 1);
