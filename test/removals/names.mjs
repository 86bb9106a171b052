// Unknown names in an edit: such an edit breaks the rule only by a ReferenceError. All edited sources are put next to the
// originals in a copy, and compiled at once.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applied } from '../../scripts/requirements/removals.mjs';

/** A sentence for each unknown name; edits that do not match their source are skipped. */
export function unknownNames(top, edits) {
  const copy = mkdtempSync(join(tmpdir(), 'barewire-edits-'));
  try {
    for (const name of ['src', 'package.json']) cpSync(join(top, name), join(copy, name), { recursive: true });
    for (const name of ['node_modules', 'tsconfig.json']) symlinkSync(join(top, name), join(copy, name));
    writeFileSync(join(copy, 'edits.json'), JSON.stringify({
      extends: './tsconfig.json', include: ['src'], compilerOptions: { noEmit: true, rootDir: '.', declaration: false, isolatedDeclarations: false },
    }));
    for (const edit of edits) writeEdited(top, copy, edit);
    const { stdout } = spawnSync(process.execPath, [join(top, 'node_modules/typescript/bin/tsc'), '-p', join(copy, 'edits.json')], { cwd: copy, encoding: 'utf8' });
    // "Cannot find name", with or without a suggestion, or in a shorthand.
    return [...stdout.matchAll(/--(\S+?)\.ts\(\d+,\d+\): error TS(?:2304|2552|18004): (.+)$/gm)].map(([, id, what]) => `${id}: ${what}`);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function writeEdited(top, copy, { id, changes }) {
  const texts = new Map();
  try {
    for (const change of changes.filter(({ path }) => path.startsWith('src/'))) {
      texts.set(change.path, applied(texts.get(change.path) ?? readFileSync(join(top, change.path), 'utf8'), change));
    }
  } catch {
    return;
  }
  for (const [path, text] of texts) writeFileSync(join(copy, path.replace(/\.ts$/, `--${id}.ts`)), text);
}
