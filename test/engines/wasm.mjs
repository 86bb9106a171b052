// QuickJS and QuickJS-ng in WebAssembly: 32-bit pointers, as on a microcontroller. The engine parses the source, not bytecode.
import { newQuickJSWASMModuleFromVariant } from 'quickjs-emscripten-core';
import { answerTo, call, handshake, isResult } from './calls.mjs';

/** Runs the program for a number of calls, and measures the heap above an empty context. `every`: calls between measurements. */
export async function inWasm(variant, code, calls, asks, every = 10) {
  const engine = await newQuickJSWASMModuleFromVariant(variant);
  const runtime = engine.newRuntime();
  const context = runtime.newContext();
  const used = () => {
    const usage = runtime.computeMemoryUsage();
    const { memory_used_size: size } = context.dump(usage);
    usage.dispose();
    return size;
  };
  const empty = used();
  const said = [];
  context.newFunction('writeLine', (handle) => void said.push(context.getString(handle))).consume((write) => context.setProp(context.global, 'writeLine', write));
  const settle = () => {
    const jobs = runtime.executePendingJobs();
    if (jobs.error) context.unwrapResult(jobs);
  };
  const read = (text) => {
    context.newString(text).consume((line) => context.getProp(context.global, 'readLine').consume((read) => {
      context.unwrapResult(context.callFunction(read, context.undefined, line)).dispose();
    }));
    settle();
  };
  const started = performance.now();
  context.unwrapResult(context.evalCode(code)).dispose();
  settle();
  const loaded = used() - empty;
  for (const line of handshake(asks)) read(line);
  said.length = 0;
  let [most, answered, firstMs] = [loaded, 0, 0];
  const began = performance.now();
  for (let at = 0; at < calls; at++) {
    read(call(at));
    for (let text = said.shift(); text !== undefined; text = said.shift()) {
      const answer = answerTo(text);
      if (answer !== undefined) {
        if (at % every < 3) most = Math.max(most, used() - empty);
        read(answer);
      } else if (isResult(text)) answered++;
    }
    if (at === 0) firstMs = performance.now() - started;
    if (at % every === 0) most = Math.max(most, used() - empty);
  }
  const callUs = ((performance.now() - began) * 1000) / calls;
  if (answered !== calls) throw new Error(`${answered} of ${calls} calls were answered`);
  context.dispose();
  runtime.dispose();
  return { loaded, most, code: code.length, firstMs, callUs };
}
