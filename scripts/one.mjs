// npm run one -- PROGRAM: a program and what it reaches of barewire as one readable file, with the comments, the licence, the
// commit, and the names and hashes of the sources. For those who may copy a file and not install a package, and for an
// auditor who reads these lines and no others.
//
//   npm run one -- stdio-tools                a program of programs.mjs, into dist/one/stdio-tools.mjs
//   npm run one -- my-server.ts --out FILE    a program of one's own, which imports barewire/…, into FILE
//
// It is made of the last commit, not of what was changed since.
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { oneFile } from './one/join.mjs';
import { commitOf, root } from './trees.mjs';

const { values, positionals: [program, ...more] } = parseArgs({ allowPositionals: true, options: { out: { type: 'string' } } });
try {
  if (program === undefined || more.length > 0) throw new Error('npm run one -- PROGRAM [--out FILE]');
  const file = resolve(values.out ?? `${root}dist/one/${basename(program, extname(program))}.mjs`);
  const text = await oneFile(program, commitOf('HEAD'));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`${relative(process.cwd(), file)}: ${text.split('\n').length - 1} lines, ${Buffer.byteLength(text)} bytes`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
