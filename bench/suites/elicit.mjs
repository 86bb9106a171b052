// Elicitation rounds: a tool that asks one question. In a legacy stdio session the server asks in the middle of the call; in the
// modern revision the result is the question, and the client repeats the call with the answer.
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { askOnce, load as loadHttp, reader, wire } from '../lib/http-load.mjs';
import { echo, headers, request } from '../lib/messages.mjs';
import { end, spawnHttp, spawnStdio } from '../lib/process.mjs';
import { open } from '../lib/stdio-load.mjs';
import { peers as stdioPeers } from './stdio.mjs';

const modernPeers = {
  bare: 'servers/bare-http.mjs',
  barewire: 'servers/barewire-http.mjs',
  'barewire/http1': 'servers/barewire-http1.mjs',
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
export const decided = ['bare', 'barewire', 'barewire/http1'];

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
        // The cost of a question compares calls and questions with the same number in flight.
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

// The generator checks a response with `includes` and one regular expression. With `JSON.parse` and `JSON.stringify` for each
// message it used more time than the measured programs.

const accepted = JSON.stringify({ action: 'accept', content });
const good = '"Hello Ada"';
const idOf = /"id":("[^"]*"|\d+)/;

function stdioRounds(child, times, inFlight) {
  const call = request('tools/call', { name: 'ask', arguments: {} });
  let id = 2_000_000;
  let done = 0;
  let head = '';
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the server ended: ${child.complaints.slice(0, 400)}`)));
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (chunk) => {
      const lines = (head + chunk).split('\n');
      head = lines.pop();
      let out = '';
      for (const line of lines) {
        if (line.includes('"elicitation/create"')) {
          out += `{"jsonrpc":"2.0","id":${idOf.exec(line)[1]},"result":${accepted}}\n`;
        } else if (line.includes(good)) {
          done++;
          out += `${call.before}${id++}${call.after}\n`;
        } else if (JSON.parse(line).method === undefined) {
          return reject(new Error(`wrong answer: ${line.slice(0, 300)}`));
        }
      }
      if (out !== '') child.stdin.write(out);
    });
    let out = '';
    for (let i = 0; i < inFlight; i++) out += `${call.before}${id++}${call.after}\n`;
    child.stdin.write(out);
    measured(() => done, times).finally(() => child.removeAllListeners('exit')).then(resolve, reject);
  });
}

/** A request as text before and after its id, which has seven digits; `params` is added to its parameters. */
function asked(port, params) {
  const message = request('tools/call', { name: 'ask', arguments: {}, ...params }, { modern: true });
  const [before, after] = wire(port, headers(message, { modern: true }), `${message.before}7777777${message.after}`).split('7777777');
  return (id) => before + id + after;
}

function httpRounds(port, times, inFlight) {
  const first = asked(port);
  let id = 2_000_000;
  let done = 0;
  let stopped = false;
  const sockets = [];
  return new Promise((resolve, reject) => {
    const wrong = (what, body) => reject(new Error(`${what}: ${body.slice(0, 300)}`));
    for (let i = 0; i < inFlight; i++) {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      sockets.push(socket);
      const again = new Retry(port);
      let waits = 'question';
      let status = 0;
      let body = '';
      socket.on('connect', () => socket.write(first(id++), 'latin1'));
      socket.on('error', (error) => (stopped ? undefined : reject(error)));
      socket.on('close', () => (stopped ? undefined : reject(new Error('the server closed a connection'))));
      socket.on('data', reader({
        onHead: (found) => {
          status = found;
          body = '';
        },
        onBody: (piece) => {
          body += piece.latin1Slice();
        },
        onEnd: () => {
          if (stopped) return;
          if (status !== 200) return wrong(`HTTP ${status}`, body);
          if (waits === 'question') {
            if (!body.includes('"input_required"')) return wrong('no question', body);
            waits = 'answer';
            return socket.write(again.text(body, id++), 'latin1');
          }
          if (!body.includes(good)) return wrong('wrong answer', body);
          waits = 'question';
          done++;
          socket.write(first(id++), 'latin1');
        },
      }));
    }
    measured(() => done, times).finally(() => {
      stopped = true;
      for (const socket of sockets) socket.destroy();
    }).then(resolve, reject);
  });
}

const stateOf = /"requestState":("(?:[^"\\]|\\.)*")/;
const beforeState = '"requestState":';

/** The retry of a call with the answers to its questions. Only its id and its state change between calls. */
class Retry {
  #port;
  #keys = '';
  #length = -1;
  #make;

  constructor(port) {
    this.#port = port;
  }

  text(body, id) {
    const state = stateOf.exec(body)?.[1];
    const from = body.indexOf('"inputRequests":{');
    const key = body.slice(from + 17, body.indexOf(':', from + 17));
    const length = state?.length ?? 0;
    if (key !== this.#keys || length !== this.#length) {
      // A server may choose new keys for its questions each time, and the head contains the length of the body.
      this.#keys = key;
      this.#length = length;
      const asks = JSON.parse(body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1)).result.inputRequests;
      const inputResponses = Object.fromEntries(Object.keys(asks).map((name) => [name, JSON.parse(accepted)]));
      this.#make = asked(this.#port, { inputResponses, ...state !== undefined && { requestState: '-'.repeat(length - 2) } });
    }
    const text = this.#make(id);
    if (state === undefined) return text;
    const at = text.indexOf(beforeState) + beforeState.length;
    return text.slice(0, at) + state + text.slice(at + length);
  }
}

/**
 * Measures during `ms` after `warmMs`: increments of `done()` per second, and this process's share of one core. Rejects if there
 * were none.
 */
async function measured(done, { ms, warmMs }) {
  await sleep(warmMs);
  const from = performance.now();
  const before = done();
  const own = process.cpuUsage();
  await sleep(ms);
  const { user, system } = process.cpuUsage(own);
  const elapsed = performance.now() - from;
  if (done() === before) throw new Error('no round was finished');
  return { perSecond: ((done() - before) / elapsed) * 1000, errors: 0, driver: (user + system) / 1000 / elapsed };
}
