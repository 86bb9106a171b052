// The machine: QuickJS-ng with 1 MiB, whose UART is one end of a pseudo-terminal (terminal.py). Prints the name of the other end.
// SIGHUP resets the device: its memory is lost, except the number of its starts.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import ng from '@jitl/quickjs-ng-wasmfile-release-sync';
import { build } from 'esbuild';
import { newQuickJSWASMModuleFromVariant } from 'quickjs-emscripten-core';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const { outputFiles: [{ text: code }] } = await build({
  entryPoints: [here('sensor.mjs')], bundle: true, write: false, format: 'iife', target: 'es2020', platform: 'neutral', minify: true, logLevel: 'error',
});
const engine = await newQuickJSWASMModuleFromVariant(ng);
const wire = spawn('python3', [here('terminal.py')], { stdio: ['pipe', 'pipe', 'pipe'] });
wire.once('exit', () => process.exit());
let starts = 0;
let device;

function start() {
  starts++;
  const runtime = engine.newRuntime();
  runtime.setMemoryLimit(1024 * 1024);
  const context = runtime.newContext();
  const give = (name, value) => context.newFunction(name, value).consume((handle) => context.setProp(context.global, name, handle));
  give('uartWrite', (handle) => void wire.stdin.write(Buffer.from(context.getString(handle), 'hex')));
  give('celsius', () => context.newNumber(21));
  give('now', () => context.newNumber(Date.now()));
  give('starts', () => context.newNumber(starts));
  const run = (action) => {
    context.unwrapResult(action()).dispose();
    const jobs = runtime.executePendingJobs();
    if (jobs.error) context.unwrapResult(jobs);
  };
  run(() => context.evalCode(code));
  return {
    /** Calls a function of the device. */
    call: (name, value) => run(() => value.consume((given) => context.getProp(context.global, name).consume((called) => context.callFunction(called, context.undefined, given)))),
    text: (value) => context.newString(value),
    number: (value) => context.newNumber(value),
    used: () => runtime.computeMemoryUsage().consume((usage) => context.dump(usage).memory_used_size),
  };
}

device = start();
wire.stdout.on('data', (bytes) => device.call('uartRead', device.text(bytes.toString('hex'))));
const ticking = setInterval(() => device.call('tick', device.number(Date.now())), 20);
process.on('SIGHUP', () => {
  device = start();
});
process.on('SIGTERM', () => {
  process.stderr.write(`the device holds ${Math.round(device.used() / 1024)} KiB\n`);
  clearInterval(ticking);
  wire.kill();
});
wire.stderr.once('data', (name) => process.stdout.write(name));
