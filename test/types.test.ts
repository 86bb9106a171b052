import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

// The compiled test is in dist/test.
const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

async function typecheck(...args: string[]): Promise<string> {
  const tsc = root + 'node_modules/typescript/bin/tsc';
  try {
    return (await run(process.execPath, [tsc, ...args], { cwd: root })).stdout;
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout);
  }
}

// One start of the compiler checks the types and writes the declaration files.
const printed = typecheck(
  '-p', 'test/types', '--noEmit', 'false', '--emitDeclarationOnly', '--declaration', '--listEmittedFiles', '--outDir', 'dist/types-test',
);

test('types that must hold, and mistakes that must not compile', async () => {
  assert.equal((await printed).replaceAll(/^TSFILE: .*\n/gm, ''), '');
});

test('hovering over the arguments of a tool shows a plain object type', async () => {
  // Declaration files print types like an editor.
  const source = await readFile(root + 'test/types/hover.ts', 'utf8');
  const expected = /\/\/ (.*)\n/.exec(source)?.[1];
  const file = /TSFILE:\s*(.*hover\.d\.ts)/.exec(await printed)?.[1];
  assert.ok(file, await printed);
  const text = await readFile(file, 'utf8');
  assert.equal(/args: ([^]*?);\n(?=export|$)/.exec(text)?.[1]?.replace(/\s+/g, ' '), expected);
});
