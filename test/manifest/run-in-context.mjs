// Runs a bundled exercise in a realm that has only the language and the listed names: node run-in-context.mjs BUNDLE
// '["setTimeout", …]'. Any other name is a ReferenceError, even `Date`.
import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';

const [, , bundle, listed] = process.argv;
const names = new Set(JSON.parse(listed));
const realm = createContext({}, { codeGeneration: { strings: false, wasm: false } });
const given = runInContext('globalThis', realm);
for (const name of names) {
  const [first, member] = name.split('.');
  if (member === undefined && first in globalThis && !(first in given)) given[first] = globalThis[first];
  else if (first === 'process') (given.process ??= {})[member] = member === 'getBuiltinModule' ? builtin : process[member];
}
// The bytes from TextEncoder and streams belong to the outer realm.
for (const name of ['Uint8Array', 'ArrayBuffer']) given[name] = globalThis[name];
if (!names.has('Date')) delete given.Date;
if (!names.has('Math.random')) delete given.Math.random;
delete given.WebAssembly;
delete given.console;
if (names.has('console')) given.console = console;

/** Only the modules that the manifest lists. */
function builtin(name) {
  if (!names.has(name)) throw new Error(`${name} is not in the manifest`);
  return process.getBuiltinModule(name);
}

runInContext(readFileSync(bundle, 'utf8'), realm, { filename: bundle });
await given.exercise.run({ Request, Response });
