// The host: QuickJS with 4 MiB of memory; its server uses the standard streams of this process, so that any client can start it:
// node quickjs/host.mjs
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { getQuickJS } from 'quickjs-emscripten';

const { outputFiles: [{ text: code }] } = await build({
  entryPoints: [fileURLToPath(new URL('server.mjs', import.meta.url))],
  bundle: true, write: false, format: 'iife', target: 'es2020', platform: 'neutral', minify: true, logLevel: 'error',
});

const runtime = (await getQuickJS()).newRuntime();
runtime.setMemoryLimit(4 * 1024 * 1024);
const engine = runtime.newContext();

/** Runs an action in the engine, and then its pending jobs: results are promises. */
function run(action) {
  engine.unwrapResult(action()).dispose();
  const jobs = runtime.executePendingJobs();
  if (jobs.error) engine.unwrapResult(jobs);
}

engine.newFunction('writeLine', (line) => void process.stdout.write(`${engine.getString(line)}\n`))
  .consume((handle) => engine.setProp(engine.global, 'writeLine', handle));
run(() => engine.evalCode(code));

createInterface({ input: process.stdin })
  .on('line', (line) => run(() => engine.newString(line).consume((text) =>
    engine.getProp(engine.global, 'readLine').consume((read) => engine.callFunction(read, engine.undefined, text)))))
  .on('close', () => {
    engine.dispose();
    runtime.dispose();
  });
