// The cost of a call if several processes serve the same sessions: total processor time of the processes, and traffic between
// them and their engine. Each of 16 sessions rotates over all processes, one request at a time. Prints JSON: { micros, bytes,
// writes } per call. The suite `fleet` of run.mjs starts it once per round, row and program.
//
//   node bench/fleet.mjs KIND PROCESSES echo|progress [--calls N] [--at ENGINE]
//   KIND: bare, alone (barewire without a fleet), sealed, memory, redis, nats, postgres, tmcp, tmcp-redis
import { performance } from 'node:perf_hooks';
import { connection, sessions } from './lib/http-load.mjs';
import { echo, FIRST_ID, headers, messagesOf, progressCall } from './lib/messages.mjs';
import { ask, cpuSeconds, end, runtime, spawnHttp } from './lib/process.mjs';
import { numberOf, readWords } from '../scripts/words.mjs';

const { values, names: [kind, count, what] } = readWords({ calls: { type: 'string' }, at: { type: 'string', default: '' } }, 3);
const calls = numberOf(values.calls, 4000, 'calls');
const { at } = values;
runtime.node = process.execPath;

const children = await Promise.all(Array.from({ length: Number(count) }, () =>
  spawnHttp(kind === 'bare' ? 'servers/bare-http.mjs' : 'servers/fleet.mjs', { FLEET: kind, AT: at })));
try {
  const { ids, version } = await sessions(children[0].port, 16);
  const message = what === 'echo' ? echo('hello') : progressCall();
  let next = FIRST_ID;

  /** Makes a number of calls, from all sessions at once, each session's next call to the next process. */
  async function run(total) {
    let left = total;
    await Promise.all(ids.map(async (session, i) => {
      const head = headers(message, { session, version });
      const lines = children.map(({ port }) => connection(port));
      for (let turn = i; left-- > 0; turn++) {
        const { status, head: answered, body } = await lines[turn % lines.length].post(head, `${message.before}${next++}${message.after}`);
        const told = messagesOf(/\r\ncontent-type: *([^\r]*)/i.exec(answered)?.[1], body).filter(({ method, result }) => method || result);
        if (status !== 200 || told.at(-1)?.result === undefined || told.length !== (what === 'echo' ? 1 : 11)) {
          throw new Error(`a wrong answer: ${status} ${body.slice(0, 300)}`);
        }
      }
      for (const line of lines) line.close();
    }));
  }

  const spent = () => children.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
  const passed = async () => {
    const sum = { bytes: 0, writes: 0 };
    if (kind === 'bare') return sum;
    for (const child of children) {
      const { bytes, writes } = await ask(child, 'engine', 'bytes');
      sum.bytes += bytes;
      sum.writes += writes;
    }
    return sum;
  };
  // After this, code is compiled, and every session is open in every process.
  await run(calls);
  const [seconds, before, began] = [spent(), await passed(), performance.now()];
  await run(calls);
  const [after, ms] = [await passed(), performance.now() - began];
  console.log(JSON.stringify({
    micros: (spent() - seconds) / calls * 1e6,
    bytes: (after.bytes - before.bytes) / calls,
    writes: (after.writes - before.writes) / calls,
    perSecond: calls / ms * 1000,
  }));
} finally {
  await Promise.all(children.map(end));
}
process.exit();
