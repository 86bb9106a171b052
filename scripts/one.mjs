// npm run one -- PROGRAM: a program and the parts of barewire that it uses, as one readable file with the comments, the licence,
// the commit, and the names and hashes of the sources. For users who may copy a file but not install a package, and for an
// auditor who reads only these lines.
//
//   npm run one -- stdio-tools                a program of programs.mjs, into dist/one/stdio-tools.mjs
//   npm run one -- my-server.ts --out FILE    your own program, which imports barewire/…, into FILE
//
// It uses the last commit, without later changes.
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
