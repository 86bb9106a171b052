// barewire bridge between the official SDKs: a client of either era with a server of either era, over each transport.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { connect } from './official-clients.mjs';
import { at, start } from './processes.mjs';

const main = at('dist/src/cli/main.js');
const fronts = [{ name: 'sdk v1, 2025-11-25', version: 'v1' }, { name: 'sdk v2, 2026-07-28', version: 'v2', mode: { pin: '2026-07-28' } }];
const backs = [{ name: 'sdk v1, 2025-11-25', args: [at('test/peers/servers/v1.mjs')] }, { name: 'sdk v2, 2026-07-28', args: [at('test/peers/servers/v2.mjs'), '--modern'] }];
const textOf = (result) => result.content.map(({ text }) => text ?? '').join('');
const env = { ...process.env, BAREWIRE_HOME: '/nonexistent' };

/** Starts `barewire bridge --port 0 TARGET`; returns its address. */
async function overHttp(t, target) {
  const child = spawn(process.execPath, [main, 'bridge', '--port', '0', ...target], { stdio: ['ignore', 'ignore', 'pipe'], env });
  const gone = new Promise((resolve) => child.once('close', resolve));
  t.after(async () => {
    child.kill('SIGTERM');
    await gone;
  });
  let said = '';
  return new Promise((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text;
      const [, url] = /serving (\S+)/.exec(said) ?? [];
      if (url) resolve(url);
    });
    gone.then(() => reject(new Error(said)));
  });
}

const callTool = (client) => (name, args = {}, options = {}) =>
  client.callTool({ name, arguments: args }, ...'listen' in client ? [options] : [undefined, options]);

for (const front of fronts) {
  for (const frontKind of ['http', 'stdio']) {
    for (const back of backs) {
      for (const backKind of ['stdio', 'http']) {
        test(`bridge: ${front.name} over ${frontKind}, before ${back.name} over ${backKind}`, async (t) => {
          let target = ['--', process.execPath, ...back.args];
          if (backKind === 'http') {
            const { url, stop } = await start(process.execPath, [...back.args, '--http']);
            t.after(stop);
            target = [url];
          }
          const to = frontKind === 'http' ? await overHttp(t, target) : { command: process.execPath, args: [main, 'bridge', ...target], env };
          const { client, answers, asked } = await connect(t, front, frontKind, to);
          const call = callTool(client);

          assert.match(client.getServerVersion().name, /^peer-v/);
          const { tools } = await client.listTools();
          assert.ok(tools.some(({ name }) => name === 'number'));
          assert.deepEqual((await call('add', { a: 2, b: 3 })).structuredContent, { sum: 5 });
          assert.equal((await call('fail')).isError, true);
          assert.equal((await client.readResource({ uri: 'peer://note' })).contents[0].text, 'a note');

          // 32 calls at a time, each with its own question; the answers return in another order.
          answers.elicit = async ({ message }) => {
            await new Promise((resolve) => setTimeout(resolve, (Number(message.slice(2)) * 7) % 32));
            return { action: 'accept', content: { answer: `answer to ${message}` } };
          };
          const numbers = Array.from({ length: 32 }, (_, n) => n);
          const results = await Promise.all(numbers.map((n) => call('number', { n })));
          assert.deepEqual(results.map(textOf), numbers.map((n) => `${n}: answer to n=${n}`));
          // A legacy question names no call: if the call that carried it ends first, another call asks it again.
          if (back === backs[1]) assert.equal(asked.length, 32);

          // One progress report: both SDKs lose reports that arrive in one chunk with the result.
          const control = new AbortController();
          const reports = [];
          const report = ({ progress, total, message }) => {
            reports.push([progress, total, message]);
            control.abort();
          };
          await assert.rejects(call('slow', {}, { signal: control.signal, onprogress: report }));
          assert.deepEqual(reports, [[1, 2, 'step 1']]);
          for (let cancelled = ''; cancelled !== '1';) cancelled = textOf(await call('cancelled'));
        });
      }
    }
  }
}

test('bridge: HTTP+SSE in front and behind, with questions and progress', async (t) => {
  const { url, stop } = await start(process.execPath, [...backs[0].args, '--http']);
  t.after(stop);
  const to = await overHttp(t, [url.replace('/mcp', '/sse')]);
  const { client, answers } = await connect(t, fronts[0], 'sse', to.replace('/mcp', '/sse'));
  answers.elicit = ({ message }) => ({ action: 'accept', content: { answer: `answer to ${message}` } });
  const call = callTool(client);
  const numbers = Array.from({ length: 32 }, (_, n) => n);
  assert.deepEqual((await Promise.all(numbers.map((n) => call('number', { n })))).map(textOf), numbers.map((n) => `${n}: answer to n=${n}`));
  const control = new AbortController();
  await assert.rejects(call('slow', {}, { signal: control.signal, onprogress: () => control.abort() }));
  for (let cancelled = ''; cancelled !== '1';) cancelled = textOf(await call('cancelled'));
});

/** Counts the processes of the v1 server below this bridge. */
function children() {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(1).join(' ') === `${backs[0].args[0]} --own ` && !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return false;
    }
  }).length;
}

// 1,000 with BRIDGE_CUTS=1000: node --test --test-name-pattern=cuts test/peers/bridge.test.mjs
const cuts = Number(process.env.BRIDGE_CUTS ?? 20);
test(`bridge: ${cuts} connects and cuts leave no child`, { skip: process.platform === 'linux' ? false : 'needs /proc' }, async (t) => {
  const url = await overHttp(t, ['--children', '8', '--idle', '0.5', '--away', '3', '--', process.execPath, ...backs[0].args, '--own']);
  const one = async (n) => {
    const { client, answers } = await connect({ after() {} }, fronts[n % 2], 'http', url);
    let asked;
    const open = new Promise((resolve) => (asked = resolve));
    // During a question, which the client never answers.
    answers.elicit = () => (asked(), new Promise(() => {}));
    const call = callTool(client)('number', { n });
    call.catch(() => {});
    // Every third is cut before the server asks, the others while it waits. Some get the error that the bridge is full.
    if (n % 3 !== 0) await Promise.race([open, call.catch(() => {})]);
    await client.close();
  };
  for (let n = 0; n < cuts; n += 4) await Promise.all([0, 1, 2, 3].map((k) => one(n + k)));
  // Each process ends after its client was cut off.
  for (let left = -1; left !== 0;) {
    left = children();
    if (left !== 0) await new Promise((resolve) => setTimeout(resolve, 100));
  }
  // The bridge still serves.
  const { client } = await connect(t, fronts[0], 'http', url);
  assert.equal(textOf(await callTool(client)('add', { a: 1, b: 1 })), '2');
});
