// The changes in a program for an auditor who read it at a commit.
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Compares the kept files of a program in two trees: `{ path, files: [{ path, kept }] }` each.
 *
 * Returns a row for each file that changed, is new to the program, or has gone from it:
 * `{ state, path, from, added, removed, then, now }`, in the order of the present files, removed ones last.
 * `state` is `changed`, `new`, `gone`, `renamed`, or `more` if the text is the same but more of its lines are kept;
 * `from` the name before a file was renamed; `then` and `now` the lines kept.
 */
export function changesOf(before, present, stats) {
  const kept = (files) => new Map(files.map(({ path, kept }) => [path, kept]));
  const then = kept(before.files);
  const now = kept(present.files);
  const byPath = new Map(stats.map((stat) => [stat.path, stat]));
  const renamed = new Set(stats.flatMap(({ from }) => from ?? []));
  const rows = [];
  for (const [path, lines] of now) {
    const { from, added = 0, removed = 0 } = byPath.get(path) ?? {};
    const known = then.get(from ?? path);
    const row = { path, from, added, removed, then: known, now: lines };
    if (known === undefined) rows.push({ ...row, state: 'new' });
    else if (from !== undefined) rows.push({ ...row, state: 'renamed' });
    else if (added + removed > 0) rows.push({ ...row, state: 'changed' });
    else if (lines > known) rows.push({ ...row, state: 'more' });
  }
  for (const [path, lines] of then) {
    if (now.has(path) || renamed.has(path)) continue;
    rows.push({ state: 'gone', path, from: undefined, added: 0, removed: byPath.get(path)?.removed ?? 0, then: lines, now: undefined });
  }
  return rows;
}

/** Copies a program's files from a tree. */
export function copyFiles(tree, files, folder) {
  for (const { path } of files) cpSync(join(tree, path), join(folder, path));
}

/**
 * Compares the folders `then` and `now` in `folder` with git, which finds renamed files: `{ path, from, added, removed }` for
 * each file that differs, with paths relative to these folders.
 */
export function diffstat(folder) {
  return parseNumstat(git(folder, ['--numstat', '-z']));
}

/** The same comparison as a patch. */
export function patch(folder) {
  return git(folder, ['--patch', '--src-prefix=', '--dst-prefix=']);
}

function git(folder, options) {
  const { status, stdout, stderr } = spawnSync('git', [
    'diff', '--no-index', '--no-ext-diff', '--no-textconv', '--no-color', '--find-renames', ...options, 'then', 'now',
  ], { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 28 });
  // 1: there are differences.
  if (status !== 0 && status !== 1) throw new Error(`git diff failed: ${stderr}`);
  return stdout;
}

/**
 * Reads what `git diff --no-index --numstat -z` writes: `added TAB removed TAB NUL old NUL new NUL` for each file, where the
 * paths differ at least in their folder, and `/dev/null` means no file. Versions of git that merge two equal paths write `added
 * TAB removed TAB path NUL`.
 */
export function parseNumstat(text) {
  const parts = text.split('\0');
  const stats = [];
  const inside = (path) => (path === '/dev/null' ? undefined : path.replace(/^(then|now)\//, ''));
  for (let i = 0; i < parts.length - 1; i++) {
    const [added, removed, both] = parts[i].split('\t');
    const from = inside(both || parts[++i]);
    const to = inside(both || parts[++i]);
    stats.push({ path: to ?? from, from: to === undefined || from === to ? undefined : from, added: Number(added), removed: Number(removed) });
  }
  return stats;
}
