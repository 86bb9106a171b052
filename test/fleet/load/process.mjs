// One process of the fleet. argv: engine, its address, port, nginx's port, key, ledger, lease in milliseconds. The process appends stored
// events and received answers to the ledger file, which survives it.
import { appendFileSync } from 'node:fs';
import { fleet } from '../../../dist/lib/fleet.js';
import { serveHttp } from '../../../dist/lib/http.js';
import { McpServer } from '../../../dist/lib/server.js';
import { engines } from './engines.mjs';

const [kind, at, port, publicPort, key, ledger, leaseMs] = process.argv.slice(2);
const note = (...words) => appendFileSync(ledger, `${words.join(' ')}\n`);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const keys = [new Uint8Array(Buffer.from(key, 'base64'))];
const onError = (error) => note('error', JSON.stringify(error.message));

async function open() {
  for (let tries = 0; ; tries++) {
    try {
      return await engines[kind].open(at, { leaseMs: Number(leaseMs), answerMs: Number(leaseMs) * 2 / 3, onError });
    } catch (thrown) {
      // The engine is being restarted.
      if (tries === 200) throw thrown;
      await pause(100);
    }
  }
}

const engine = await open();
/** Records each progress notification that the store has acknowledged. */
const streams = {
  after: (...args) => engine.streams.after(...args),
  drop: (session) => engine.streams.drop(session),
  async append(part) {
    await engine.streams.append(part);
    for (const text of part.texts) {
      if (!text.includes('notifications/progress')) continue;
      const { method, params } = JSON.parse(text);
      if (method === 'notifications/progress') note('kept', params.message, params.progress);
    }
  },
};

const server = new McpServer({ name: 'load', version: '1' }, { requestState: { keys }, onError });
const input = { type: 'object' };
server.tool('echo', { input }, ({ call }) => call);
server.tool('steps', { input }, async ({ call, count, ms }, ctx) => {
  for (let step = 1; step <= count; step++) {
    ctx.progress(step, count, call);
    await pause(ms);
  }
  return call;
});
server.tool('ask', { input }, async ({ call }, ctx) => {
  note('began', call, Date.now());
  const answer = await ctx.elicit(call, { word: { type: 'string' } });
  const word = answer.action === 'accept' ? answer.content.word : answer.action;
  note('heard', call, word);
  return `${call} ${word}`;
});
server.tool('think', { input }, async ({ call }, ctx) => {
  note('began', call, Date.now());
  const { content } = await ctx.sample({
    messages: [{ role: 'user', content: { type: 'text', text: call } }], maxTokens: 5,
  });
  note('heard', call, content.text);
  return `${call} ${content.text}`;
});
server.resourceTemplate('note:///{name}', { name: 'note' }, (_, { name }) => name);
server.tool('touch', { input }, ({ call, uri }) => {
  server.resourceUpdated(uri);
  return call;
});

async function join() {
  for (let tries = 0; ; tries++) {
    try {
      return await fleet({ keys, engine: { ...engine, join: engine.join, streams }, onError });
    } catch (thrown) {
      if (tries === 200) throw thrown;
      await pause(100);
    }
  }
}

async function listen() {
  for (let tries = 0; ; tries++) {
    try {
      return await serveHttp(server, {
        port: Number(port), fleet: own, onError, allowedHosts: [`127.0.0.1:${publicPort}`], limits: { retryMs: 100 },
      });
    } catch (thrown) {
      // While the previous process was dead, another program may have got the port for a connection.
      if (tries === 200 || thrown.code !== 'EADDRINUSE') throw thrown;
      await pause(100);
    }
  }
}

const own = await join();
const http = await listen();

function heap() {
  for (let i = 0; i < 3; i++) globalThis.gc();
  return process.memoryUsage().heapUsed;
}

process.on('message', async (message) => {
  if (message === 'heap') process.send({ heap: heap() });
  if (message === 'close') {
    await http.close({ drainMs: 1000 });
    await own.close();
    process.exit();
  }
});
process.on('disconnect', () => process.exit());
process.send({ ready: own.process, heap: heap() });
