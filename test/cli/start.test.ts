import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

// The output of `npm run build`. The conformance builds make no dist/lib.
const lib = fileURLToPath(new URL('../../lib/', import.meta.url));
const published = join(lib, 'cli.js');
const built = existsSync(published) ? {} : { skip: 'dist/lib is not built' };

/** Milliseconds from a program's start to its end. */
function timed(...args: string[]): number {
  const began = performance.now();
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  assert.equal(status, 0);
  return performance.now() - began;
}

test('--help takes at most 60 ms more than bare Node: the median of pairs, taken in turns', built, (t) => {
  // Each pair runs in turn, so load slows both. If bare Node itself takes longer than 60 ms on a busy machine, that much more is allowed.
  const round = (): { more: number; bare: number } => {
    const pairs = Array.from({ length: 5 }, () => {
      const bare = timed('-e', '');
      return { bare, more: timed(published, '--help') - bare };
    }).sort((a, b) => a.more - b.more);
    return pairs[2] ?? { more: Infinity, bare: 0 };
  };
  let [least, allowed] = [Infinity, 60];
  for (let rounds = 0; rounds < 3 && least > allowed; rounds++) {
    const { more, bare } = round();
    if (more < least) [least, allowed] = [more, Math.max(60, bare)];
  }
  t.diagnostic(`${least.toFixed(1)} ms more, ${allowed.toFixed(0)} allowed`);
  assert.ok(least <= allowed, `${least} ms`);
});

test('--help loads no subcommand: a few kilobytes', built, (t) => {
  const loaded = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    // Static imports; subcommands use `import()`.
    for (const [, path = ''] of readFileSync(join(lib, file), 'utf8').matchAll(/\bimport\s*(?:[^("';]*?from\s*)?"\.\/([^"]+)"/g)) load(path);
  };
  load('cli.js');
  const bytes = [...loaded].reduce((sum, file) => sum + statSync(join(lib, file)).size, 0);
  t.diagnostic(`${bytes} bytes in ${loaded.size} files`);
  assert.ok(bytes < 20_480, `${bytes} bytes: ${[...loaded].join(', ')}`);
  const text = readFileSync(published, 'utf8');
  for (const name of ['doctor', 'bridge', 'tour', 'host']) assert.match(text, new RegExp(`import\\("\\./cli-${name}\\.js"`), name);
});
