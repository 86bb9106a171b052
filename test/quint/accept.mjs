// Asks Quint whether runs of the real code are runs of a model: each becomes a `run` in a module that imports the model.
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { file, quint } from './quint.mjs';

const isExpectation = (step) => step.startsWith('expect(');
const textOf = (steps, name) => `  run ${name}Test = init${steps.map((step) => `\n    .${isExpectation(step) ? step : `then(${step})`}`).join('')}`;

/** Runs per module: a module with more takes long to parse. */
const most = 100;

/**
 * Throws an error with the first step that the model does not allow. `model`: the module with its constants; `name`: its file
 * without `.qnt`.
 */
export function accept(model, name, runs) {
  if (runs.length === 0) throw new Error('the real code has no runs');
  const folder = mkdtempSync(join(tmpdir(), 'barewire-quint-'));
  // Quint resolves an import relative to the importing module.
  copyFileSync(file(`${name}.qnt`), join(folder, `${name}.qnt`));
  const ask = (all) => {
    const path = join(folder, 'runs.qnt');
    writeFileSync(path, `module runs {\n  import ${model}.* from "./${name}"\n${all.map((steps, n) => textOf(steps, `r${n}`)).join('\n')}\n}\n`);
    const { ok, said } = quint('test', path, '--backend=typescript', '--max-samples=1', '--match', '^r\\d+Test$');
    const failed = [...said.matchAll(/^\s*\d+\) r(\d+)Test failed/gm)].map(([, n]) => Number(n));
    if (!ok && failed.length === 0) throw new Error(said);
    const passing = Number(/(\d+) passing/.exec(said)?.[1] ?? 0);
    if (passing + failed.length !== all.length) throw new Error(`of ${all.length} runs ${passing} passed and ${failed.length} failed: ${said}`);
    return failed;
  };
  try {
    for (let at = 0; at < runs.length; at += most) {
      const some = runs.slice(at, at + most);
      const [bad] = ask(some);
      if (bad === undefined) continue;
      const steps = some[bad];
      const [length] = ask(steps.map((_step, n) => steps.slice(0, n + 1)));
      const before = steps.slice(0, length).map((step) => `  ${step}`).join('\n');
      throw new Error(`the real code does what the model does not allow: ${steps[length]}\nafter\n${before}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const steps = runs.flat().filter((step) => !isExpectation(step)).length;
  return `${runs.length} different runs of the real code, ${steps} steps, are runs of the model`;
}
