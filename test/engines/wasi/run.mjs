// A WASI component (StarlingMonkey): built by componentize-js, run by jco. wasi/run.mjs CALLS (questions|none) PROGRAM: prints
// one JSON line. The component's memory only grows, so the heap is not measured.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { componentize } from '@bytecodealliance/componentize-js';
import { transpile } from '@bytecodealliance/jco';
import { answerTo, call, handshake, isResult } from '../calls.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const [calls, questions, program] = process.argv.slice(2);
const asks = questions === 'questions';
// Next to node_modules, since the generated files import packages.
const folder = mkdtempSync(join(here, 'made-'));

// The server answers in microtasks, which run after the component's call: a second call fetches the output.
const source = `const said = []; globalThis.writeLine = (text) => void said.push(text);
${readFileSync(program, 'utf8')}
const { readLine } = globalThis;
export { readLine };
export const written = () => said.splice(0);`;

try {
  const { component } = await componentize(source, { witPath: join(here, 'device.wit'), worldName: 'device', disableFeatures: ['http', 'random', 'stdio', 'fetch-event'] });
  const { files } = await transpile(component, { name: 'device', noTypescript: true });
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
  const started = performance.now();
  const { readLine, written } = await import(pathToFileURL(join(folder, 'device.js')).href);
  for (const line of handshake(asks)) readLine(line);
  written();
  let [answered, firstMs] = [0, 0];
  const began = performance.now();
  for (let at = 0; at < Number(calls); at++) {
    readLine(call(at));
    const said = written();
    for (let text = said.shift(); text !== undefined; text = said.shift()) {
      const answer = answerTo(text);
      if (answer !== undefined) {
        readLine(answer);
        said.push(...written());
      } else if (isResult(text)) answered++;
    }
    if (at === 0) firstMs = performance.now() - started;
  }
  const callUs = ((performance.now() - began) * 1000) / Number(calls);
  if (answered !== Number(calls)) throw new Error(`${answered} of ${calls} calls were answered`);
  console.log(JSON.stringify({ code: component.length, firstMs, callUs }));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
