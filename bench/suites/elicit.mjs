// Elicitation rounds: a tool that asks one question. In a legacy stdio session the server asks in the middle of the
// call; in the modern revision the answer is a question and the client calls again with what it learned.
import { performance } from 'node:perf_hooks';
import { askOnce, connection, load as loadHttp } from '../lib/http-load.mjs';
import { echo, headers, messagesOf, request } from '../lib/messages.mjs';
import { end, spawnHttp, spawnStdio } from '../lib/process.mjs';
import { open } from '../lib/stdio-load.mjs';
import { peers as stdioPeers } from './stdio.mjs';

const modernPeers = {
  bare: 'servers/bare-http.mjs',
  barewire: 'servers/barewire-http.mjs',
  'sdk v2': 'servers/sdk-v2-modern.mjs',
  tmcp: 'servers/tmcp-http.mjs',
};

export const tables = {
  elicit: { title: 'elicitation: calls with one question a second', unit: '/s', more: true, decided: true },
  'elicit-cost': {
    title: 'elicitation, 2026-07-28: cost of a call with one question, in plain calls of the same server',
    unit: '×',
    more: false,
    alone: true,
    decided: true,
    note: 'The call and its retry are two requests. The bare program and the official SDK carry no state between the two here.',
  },
};

export const leastRounds = 9;
export const decided = ['bare', 'barewire'];

const content = { name: 'Ada' };

export async function round(bench) {
  const row = 'stdio, 2025-11-25, 64 in flight';
  for (const [peer, program] of bench.inTurn(stdioPeers)) {
    await bench.attempt(['elicit', row], peer, async () => {
      const out = await bench.unhindered(['elicit'], row, 64, async (inFlight) => {
        const child = spawnStdio(program);
        try {
          await open(child);
          return await stdioRounds(child, bench, inFlight);
        } finally {
          await end(child);
        }
      });
      bench.record('elicit', row, peer, out.perSecond, out);
    });
  }
  const modernRow = 'HTTP, 2026-07-28, 32 connections';
  for (const [peer, program] of bench.inTurn(modernPeers)) {
    await bench.attempt(['elicit', modernRow], peer, async () => {
      const child = await spawnHttp(program);
      try {
        // What a question costs is taken of calls and questions with as many in flight.
        const rounds = await bench.unhindered(['elicit', 'elicit-cost'], modernRow, 32, async (lanes) =>
          ({ ...await httpRounds(child.port, bench, lanes), lanes }));
        const { lanes, inFlight } = rounds;
        bench.record('elicit', modernRow, peer, rounds.perSecond, rounds);
        const plain = echo('a'.repeat(20), { modern: true });
        await askOnce(child.port, plain, { modern: true });
        const calls = await loadHttp(child.port, plain, {
          connections: lanes,
          ms: bench.ms,
          warmMs: bench.warmMs,
          modern: true,
          expect: (body) => body.includes('aaaa'),
        });
        bench.record('elicit-cost', modernRow, peer, calls.perSecond / rounds.perSecond, { ...calls, inFlight });
      } finally {
        await end(child);
      }
    });
  }
}

function stdioRounds(child, { ms, warmMs }, inFlight) {
  const call = request('tools/call', { name: 'ask', arguments: {} });
  let id = 2_000_000;
  let done = 0;
  let errors = 0;
  let head = '';
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the server ended: ${child.complaints.slice(0, 400)}`)));
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (chunk) => {
      const lines = (head + chunk).split('\n');
      head = lines.pop();
      let out = '';
      for (const line of lines) {
        const message = JSON.parse(line);
        if (message.method === 'elicitation/create') {
          out += `${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { action: 'accept', content } })}\n`;
        } else if (message.method === undefined) {
          if (message.result?.content?.[0]?.text !== 'Hello Ada') {
            if (errors++ === 0 && done === 0) return reject(new Error(`wrong answer: ${line.slice(0, 300)}`));
          }
          done++;
          out += `${call.before}${id++}${call.after}\n`;
        }
      }
      if (out !== '') child.stdin.write(out);
    });
    let out = '';
    for (let i = 0; i < inFlight; i++) out += `${call.before}${id++}${call.after}\n`;
    child.stdin.write(out);
    setTimeout(() => {
      const from = performance.now();
      const before = done;
      const own = process.cpuUsage();
      setTimeout(() => {
        const perSecond = ((done - before) / (performance.now() - from)) * 1000;
        child.removeAllListeners('exit');
        if (done === before) reject(new Error('no round was finished'));
        else resolve({ perSecond, errors, driver: busyShare(own, from) });
      }, ms);
    }, warmMs);
  });
}

async function httpRounds(port, { ms, warmMs }, inFlight) {
  const options = { modern: true };
  const first = request('tools/call', { name: 'ask', arguments: {} }, options);
  const head = headers(first, options);
  let id = 2_000_000;
  let done = 0;
  let stopped = false;
  const ask = async (line, message) => {
    const answer = await line.post(head, `${message.before}${id++}${message.after}`);
    const type = /\r\ncontent-type: *([^\r]*)/i.exec(answer.head)?.[1];
    const result = messagesOf(type, answer.body).at(-1)?.result;
    if (answer.status !== 200 || !result) throw new Error(`HTTP ${answer.status}: ${answer.body.slice(0, 300)}`);
    return result;
  };
  const lane = async () => {
    const line = connection(port);
    while (!stopped) {
      const question = await ask(line, first);
      if (question.resultType !== 'input_required') throw new Error(`no question: ${JSON.stringify(question)}`);
      const inputResponses = {};
      for (const key of Object.keys(question.inputRequests)) inputResponses[key] = { action: 'accept', content };
      const params = { name: 'ask', arguments: {}, inputResponses };
      if (question.requestState !== undefined) params.requestState = question.requestState;
      const result = await ask(line, request('tools/call', params, options));
      if (result.content?.[0]?.text !== 'Hello Ada') throw new Error(`wrong answer: ${JSON.stringify(result)}`);
      done++;
    }
    line.close();
  };
  const lanes = Array.from({ length: inFlight }, lane);
  const failed = Promise.all(lanes).then(() => {});
  await Promise.race([failed, new Promise((resolve) => setTimeout(resolve, warmMs))]);
  const from = performance.now();
  const before = done;
  const own = process.cpuUsage();
  await Promise.race([failed, new Promise((resolve) => setTimeout(resolve, ms))]);
  const perSecond = ((done - before) / (performance.now() - from)) * 1000;
  const driver = busyShare(own, from);
  stopped = true;
  await failed;
  return { perSecond, errors: 0, driver };
}

/** The share of one core that this process used since then. */
function busyShare(cpu, from) {
  const own = process.cpuUsage(cpu);
  return (own.user + own.system) / 1000 / (performance.now() - from);
}
