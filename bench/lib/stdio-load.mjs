// The load generator for stdio. It joins strings to build a request, and only searches a response for its end and its length, so
// that it costs a fraction of the fastest server.
import { performance } from 'node:perf_hooks';
import { checkEcho, echo, FIRST_ID, initialize, initialized } from './messages.mjs';
import { cpuSeconds } from './process.mjs';

/** Reads lines as parsed messages; for the handshake and the checks, not for the load. */
export function talk(child) {
  const waiting = new Map();
  const asked = [];
  let head = '';
  const onData = (chunk) => {
    head += chunk.toString('utf8');
    for (let end; (end = head.indexOf('\n')) >= 0; head = head.slice(end + 1)) {
      const message = JSON.parse(head.slice(0, end));
      if (message.method !== undefined) asked.push(message);
      else waiting.get(message.id)?.(message);
    }
  };
  const fail = () => {
    for (const settle of waiting.values()) settle({ error: { message: `the server ended: ${child.complaints}` } });
  };
  child.stdout.on('data', onData);
  child.once('exit', fail);
  return {
    asked,
    send: (line) => child.stdin.write(`${line}\n`),
    ask: (id, line) =>
      new Promise((resolve) => {
        waiting.set(id, resolve);
        child.stdin.write(`${line}\n`);
      }),
    release() {
      child.stdout.off('data', onData);
      child.off('exit', fail);
    },
  };
}

/** Opens a session and leaves the pipe free for the load. Throws if the server does not answer properly. */
export async function open(child) {
  const wire = talk(child);
  const answer = await wire.ask(1, initialize());
  if (!answer.result?.protocolVersion) throw new Error(`no handshake: ${JSON.stringify(answer)}`);
  wire.send(initialized);
  wire.release();
  return answer;
}

/** Sends one echo of `text`, checks the response, and returns its length in bytes with a seven-digit id. */
export async function checked(child, text) {
  const wire = talk(child);
  const { before, after } = echo(text);
  const answer = await wire.ask(FIRST_ID - 1, `${before}${FIRST_ID - 1}${after}`);
  wire.release();
  checkEcho(answer, text);
}

/**
 * Keeps `inFlight` requests of one shape open for `ms` milliseconds, after an uncounted `warmMs`. Returns calls per second, the
 * server's processor time per call (microseconds), the share of one core used by this generator, and the number of responses
 * without the expected length.
 */
export function load(child, message, { inFlight, ms, warmMs, firstId, drain = false }) {
  const before = message.before;
  const afterBytes = Buffer.from(`${message.after}\n`);
  const after = `${message.after}\n`;
  const large = afterBytes.length > 8192;
  let id = firstId;
  let answered = 0;
  let errors = 0;
  let lineBytes = 0;
  let expected = -1;
  let draining = false;

  const send = (count) => {
    if (large) {
      // All requests share one payload buffer; only the few bytes before it are new.
      child.stdin.cork();
      for (let i = 0; i < count; i++) {
        child.stdin.write(`${before}${id++}`, 'latin1');
        child.stdin.write(afterBytes);
      }
      child.stdin.uncork();
      return;
    }
    let out = '';
    for (let i = 0; i < count; i++) out += before + id++ + after;
    child.stdin.write(out, 'latin1');
  };

  return new Promise((resolve, reject) => {
    let startTime = 0;
    let startAnswered = 0;
    let startCpu = 0;
    let startOwn = process.cpuUsage();
    let measured;
    const onData = (chunk) => {
      let start = 0;
      let count = 0;
      for (let end; (end = chunk.indexOf(10, start)) >= 0; start = end + 1) {
        const length = lineBytes + end - start;
        lineBytes = 0;
        if (length === expected) count++;
        else if (expected < 0) {
          expected = length;
          count++;
        } else {
          errors++;
          count++;
        }
      }
      lineBytes += chunk.length - start;
      if (count === 0) return;
      answered += count;
      if (!draining) send(count);
      else if (answered === id - firstId) finish();
    };
    const begin = () => {
      startTime = performance.now();
      startAnswered = answered;
      startCpu = cpuSeconds(child.pid);
      startOwn = process.cpuUsage();
      setTimeout(stop, ms);
    };
    const stop = () => {
      const seconds = (performance.now() - startTime) / 1000;
      const calls = answered - startAnswered;
      const own = process.cpuUsage(startOwn);
      measured = {
        perSecond: calls / seconds,
        cpuMicros: ((cpuSeconds(child.pid) - startCpu) / calls) * 1e6,
        driver: (own.user + own.system) / 1e6 / seconds,
      };
      // Drain only if the process will be used again.
      draining = true;
      if (!drain || answered === id - firstId) finish();
    };
    const finish = () => {
      child.stdout.off('data', onData);
      child.off('exit', onExit);
      resolve({ ...measured, errors, nextId: id });
    };
    const onExit = (code, signal) =>
      reject(new Error(`the server ended (${code ?? signal}) under load: ${child.complaints.trim().slice(0, 400)}`));
    child.once('exit', onExit);
    child.stdout.on('data', onData);
    send(inFlight);
    setTimeout(begin, warmMs);
  });
}
