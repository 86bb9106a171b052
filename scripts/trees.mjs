// The sources in the working tree, or at a commit.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Everything needed to bundle and compile the sources. */
const parts = ['src', 'package.json', 'tsconfig.json'];

/** The hash of a commit. Throws an error with its name if git does not know it. */
export function commitOf(name) {
  try {
    return execFileSync('git', ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`], { cwd: root, encoding: 'utf8' }).trim();
  } catch {
    throw new Error(`git knows no commit ${name}`);
  }
}

/** Runs `use` with a temporary folder, which is removed afterwards. */
export async function withFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'barewire-tree-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Copies the sources of a commit, or else of the working tree, into a new folder. */
export function copySources(folder, commit) {
  mkdirSync(folder, { recursive: true });
  if (commit === undefined) {
    for (const part of parts) cpSync(join(root, part), join(folder, part), { recursive: true });
  } else {
    const archive = execFileSync('git', ['archive', '--format=tar', commit, '--', ...parts], { cwd: root, maxBuffer: 2 ** 28 });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
}

/** The file of `src/` for an entry such as `barewire/server`, relative to the tree; undefined if the entry does not exist. */
export function sourceOf(tree, entry) {
  const { name, exports } = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8'));
  const types = exports[`.${entry.slice(name.length)}`]?.types;
  const file = types?.replace(/^\.\/dist\/(types|src)\//, 'src/').replace(/\.d\.ts$/, '.ts');
  return file !== undefined && existsSync(join(tree, file)) ? file : undefined;
}

/** For esbuild: resolves imports of barewire to the sources of a tree, so that a bundle's modules have source file names. */
export const fromSources = (tree) => ({
  name: 'from-sources',
  setup({ onResolve }) {
    onResolve({ filter: /^barewire(\/|$)/ }, ({ path }) => {
      const file = sourceOf(tree, path);
      return file === undefined ? { errors: [{ text: `package.json exports no ${path}` }] } : { path: join(tree, file), sideEffects: false };
    });
  },
});
