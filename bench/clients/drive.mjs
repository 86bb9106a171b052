// The same loop for every client: keeps a number of calls in flight, checks every answer, counts, reports, ends.
import { performance } from 'node:perf_hooks';

const [transport, target, inFlight, size, ms, warmMs] = process.argv.slice(2);
export const options = { transport, target };
export const node = process.execPath;

/** `call(text)` resolves with the returned text. */
export async function drive(call) {
  const text = 'a'.repeat(Number(size));
  let calls = 0;
  let errors = 0;
  let stopped = false;
  const lane = async () => {
    while (!stopped) {
      if ((await call(text)) !== text) errors++;
      calls++;
    }
  };
  for (let i = 0; i < Number(inFlight); i++) {
    lane().catch((error) => {
      if (stopped) return;
      console.error(error);
      process.exit(1);
    });
  }
  await new Promise((resolve) => setTimeout(resolve, Number(warmMs)));
  const start = performance.now();
  const before = calls;
  const cpu = process.cpuUsage();
  await new Promise((resolve) => setTimeout(resolve, Number(ms)));
  const own = process.cpuUsage(cpu);
  const seconds = (performance.now() - start) / 1000;
  stopped = true;
  const report = {
    perSecond: (calls - before) / seconds,
    cpuMicros: (own.user + own.system) / (calls - before),
    errors,
  };
  process.send(report, () => process.exit(0));
}
