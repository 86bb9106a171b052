// wrk as the load generator: one thread, a Lua script for the body, the headers and a new id for each request.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { headers } from './messages.mjs';
import { cpuSeconds } from './process.mjs';

export const present = !process.argv.includes('--no-wrk') && spawnSync('wrk', ['-v']).error === undefined;

const lua = (text) => JSON.stringify(text).replace(/\\u([0-9a-f]{4})/gi, (_, hex) => `\\x${hex.slice(2)}`);

function script(port, message, { modern, session }) {
  const whole = (session?.ids ?? [undefined]).map((id) => {
    const body = `${message.before}7777777${message.after}`;
    let out = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
    const head = headers(message, { modern, session: id, version: session?.version });
    for (const [name, value] of Object.entries(head)) out += `${name}: ${value}\r\n`;
    return `${out}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`.split('7777777');
  });
  return `
local before = { ${whole.map(([before]) => lua(before)).join(', ')} }
local after = ${lua(whole[0][1])}
local id = 1000000
local turn = 0
function request()
  id = id + 1
  turn = turn % #before + 1
  return before[turn] .. id .. after
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format('\\n{"requests":%d,"micros":%d,"bytes":%d,"p50":%f,"p99":%f,"errors":%d}\\n',
    summary.requests, summary.duration, summary.bytes, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    e.connect + e.read + e.write + e.status + e.timeout))
end
`;
}

/** The same arguments and result as the socket generator's `load`, without a check of each response. */
export async function load(port, message, { connections, ms, warmMs, modern, session, bytes, counted }) {
  const dir = mkdtempSync(join(tmpdir(), 'barewire-bench-'));
  try {
    const file = join(dir, 'load.lua');
    writeFileSync(file, script(port, message, { modern, session }));
    if (warmMs > 0) await run(port, file, connections, warmMs);
    counted?.();
    const out = await run(port, file, connections, ms);
    // wrk does not check responses; its byte count shows if they differ from the checked one.
    const mean = out.bytes / out.requests;
    const strange = bytes !== undefined && Math.abs(mean - bytes) > bytes * 0.02;
    return {
      perSecond: out.requests / (out.micros / 1e6),
      p50: out.p50,
      p99: out.p99,
      errors: strange ? Math.max(out.errors, out.requests) : out.errors,
      meanBytes: mean,
      driver: out.driver,
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function run(port, file, connections, ms) {
  // wrk counts whole seconds.
  const seconds = Math.max(1, Math.round(ms / 1000));
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', file, `http://127.0.0.1:${port}/mcp`];
  return new Promise((resolve, reject) => {
    let used = 0;
    let at = 0;
    const begun = performance.now();
    const child = execFile('wrk', args, (error, stdout, stderr) => {
      clearInterval(watch);
      const line = stdout.split('\n').find((candidate) => candidate.startsWith('{'));
      if (error || line === undefined) reject(new Error(`wrk failed: ${stderr || stdout || error}`));
      else resolve({ ...JSON.parse(line), driver: at > 0 ? used / at : undefined });
    });
    // After its end wrk's processor time cannot be read any more.
    const watch = setInterval(() => {
      const cpu = cpuSeconds(child.pid);
      if (cpu > 0) [used, at] = [cpu, (performance.now() - begun) / 1000];
    }, 100);
  });
}
