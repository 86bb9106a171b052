// npm test in this folder: instrumented code behaves the same, and the recorder gets its calls in order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instrument } from './instrument.mjs';
import { createRecorder } from './recorder.mjs';

/** Imports a module unchanged and instrumented, runs both, and returns the calls as `depth name`, with `*` after a simple one. */
async function trace(code) {
  const load = (text) => import(`data:text/javascript,${encodeURIComponent(text)}`);
  const functions = [];
  const text = instrument(code, { functions, file: 'module.ts' });
  const recorder = createRecorder();
  const plain = await load(code);
  globalThis.$trip = recorder;
  const traced = await load(text);
  let result;
  const calls = await recorder.record(async () => { result = await traced.run(); });
  assert.deepEqual(result, await plain.run());
  // A later call has depth 0: nothing was left on the stack.
  const [after] = await recorder.record(async () => { traced.run(); });
  assert.equal(after.depth, 0);
  return calls.map(({ id, depth }) => `${depth} ${functions[id].name}${functions[id].simple ? '*' : ''}`);
}

test('calls in their order and depth; methods, getters, closures', async () => {
  assert.deepEqual(await trace(`
    class Box { #inner = 1; constructor(a) { this.a = a; } get size() { return this.a; } #twice() { return this.size * 2; } all() { return this.#twice() + this.size; } }
    const one = () => 1;
    const many = (list) => list.map((item) => item + one());
    const object = () => ({ a: 1 });
    export function run() { const box = new Box(2); return [box.all(), many([1]), object()]; }`), [
    '0 run', '1 Box.constructor', '1 Box.all*', '2 Box.#twice*', '3 get Box.size*', '2 get Box.size*',
    '1 many', '2 many > (anonymous)', '3 one*', '1 object*',
  ]);
});

test('what runs while a function waits is not its callee; afterwards it has its depth again', async () => {
  assert.deepEqual(await trace(`
    const leaf = (a) => a;
    async function slow(name) { await null; leaf(name); const second = await (name, 2); return leaf(second); }
    export async function run() { const both = [slow('a'), slow('b')]; leaf('c'); return await Promise.all(both); }`), [
    '0 run', '1 slow', '1 slow', '1 leaf*', '2 leaf*', '2 leaf*', '2 leaf*', '2 leaf*',
  ]);
  assert.deepEqual(await trace(`
    async function twice() { await await null; }
    export async function run() { const one = twice(); await Promise.resolve().then(() => 1).then(() => 2).then(() => 3); return await one; }`), [
    '0 run', '1 twice', '0 run > (anonymous)*', '0 run > (anonymous)*', '0 run > (anonymous)*',
  ]);
});

test('an await that rejects goes on in catch and finally', async () => {
  assert.deepEqual(await trace(`
    const at = (where) => where;
    const fail = async () => { await null; throw new Error('no'); };
    export async function run() {
      const seen = [];
      try { await fail(); } catch { seen.push(at('catch')); } finally { seen.push(at('finally')); }
      const arrow = async () => await fail();
      try { await arrow(); } catch { seen.push(at('again')); }
      return seen;
    }`), ['0 run', '1 fail', '1 at*', '1 at*', '1 arrow', '2 fail', '1 at*']);
});

test('generators, ended early or read to the end; for await with and without a block', async () => {
  assert.deepEqual(await trace(`
    const at = (where) => where;
    function* three() { try { yield at(1); yield at(2); yield; } finally { at('end'); } }
    async function* slow() { yield* three(); }
    export async function run() {
      const seen = [];
      for (const one of three()) { seen.push(one); at('body'); if (one === 2) break; }
      for await (const one of slow()) seen.push(at(one));
      for await (const one of slow()) { if (one === 1) continue; seen.push(one); break; }
      at('last');
      return seen;
    }`), [
    '0 run',
    // The body runs while the generator waits; an early end runs its `finally` first.
    '1 three', '2 at*', '1 at*', '2 at*', '1 at*', '2 at*',
    // `for await` and `yield*` start a generator while the function already waits.
    '0 slow', '0 three', '1 at*', '1 at*', '1 at*', '1 at*', '1 at*', '1 at*',
    '0 slow', '0 three', '1 at*', '1 at*', '1 at*', '1 at*',
  ]);
});

test('a simple function makes no function and calls none by its name', async () => {
  assert.deepEqual(await trace(`
    const make = (a) => () => a;
    const pass = (value, next) => value ? value.length : next(value);
    const has = (map) => map.has(1) && Number('1') > 0;
    const late = async () => 1;
    const nothing = () => {};
    const both = (a) => { const b = a; return b; };
    const held = { get works() { return [1].map((one) => one).length; }, get plain() { return 1; }, set plain(a) { this.a = a; } };
    export async function run() { held.plain = 2; return [make(1) && 1, pass('a'), has(new Map()), await late(), nothing(), both(1), held.works, held.plain]; }`), [
    '0 run', '1 set plain*', '1 make', '1 pass', '1 has*', '1 late', '1 nothing', '1 both', '1 get works', '2 get works > (anonymous)*', '1 get plain*',
  ]);
});
