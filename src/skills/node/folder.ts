import { constants } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { checkOptions } from '../../bounds/options.ts';
import { defaultSkillLimits } from '../skill.ts';
import { skillTree } from '../served-files.ts';
import type { SkillDefinition } from '../served-files.ts';

/** The options of `readSkills`. */
export interface ReadSkillsOptions {
  /** A prefix for the path of each skill: `acme` makes `skill://acme/refunds`. */
  readonly prefix?: string;
  /** Called for each skill that is left out; `why` names the rule that it breaks. Without this the first such skill rejects. */
  readonly onProblem?: (folder: string, why: string) => void;
}

/** The deepest level of folders that is searched. */
const maxDepth = 16;

/**
 * Reads a folder of skills: each folder in it, up to 16 levels deep, that has a `SKILL.md` is a skill. The skill's path is the
 * folder's path. Pass the result to `skills` of `barewire/skills`; call both again after a change. Names that begin with a dot are
 * left out. A link counts as the file that it leads to, if that is a file of this folder; any other link, and anything that is not
 * a regular file, is an error of the skill. Files are opened again each time that they are read.
 */
export async function readSkills(folder: string, options: ReadSkillsOptions = {}): Promise<SkillDefinition[]> {
  checkOptions('readSkills: options', options, { prefix: 'string', onProblem: 'function' });
  const { prefix, onProblem } = options;
  const root = await realpath(folder);
  const found: SkillDefinition[] = [];
  for (const path of await skillFolders(root)) {
    try {
      const one = { path: prefix === undefined ? path : `${prefix}/${path}`, files: await filesOf(root, path) };
      // Check each separately, so that a faulty one does not stop the others.
      await skillTree([one]);
      found.push(one);
    } catch (thrown) {
      if (!onProblem) throw thrown;
      onProblem(join(folder, ...path.split('/')), (thrown as Error).message);
    }
  }
  return found;
}

/** The folders with a `SKILL.md`, by their paths with `/` from the root. */
async function skillFolders(root: string): Promise<string[]> {
  const found: string[] = [];
  const look = async (path: string, depth: number): Promise<void> => {
    if (depth > maxDepth) throw new TypeError(`readSkills: ${path}: more than ${maxDepth} folders deep`);
    const entries = await readdir(join(root, path), { withFileTypes: true });
    if (path !== '' && entries.some(({ name }) => name === 'SKILL.md')) found.push(path);
    for (const { name } of entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).sort(byName)) {
      await look(path === '' ? name : `${path}/${name}`, depth + 1);
    }
  };
  await look('', 0);
  return found;
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

/** The files of a skill, by their paths in it. */
async function filesOf(root: string, skill: string): Promise<Record<string, () => Promise<Uint8Array>>> {
  const files: Record<string, () => Promise<Uint8Array>> = Object.create(null) as Record<string, never>;
  let bytes = 0;
  const look = async (path: string): Promise<void> => {
    for (const entry of (await readdir(join(root, skill, path), { withFileTypes: true })).sort(byName)) {
      const { name } = entry;
      if (name.startsWith('.')) continue;
      const own = path === '' ? name : `${path}/${name}`;
      if (entry.isDirectory()) {
        await look(own);
        continue;
      }
      const file = join(root, skill, own);
      bytes += (await placeOf(root, file)).size;
      files[own] = () => contentOf(root, file);
      if (Object.keys(files).length > defaultSkillLimits.maxFiles) throw new TypeError(`readSkills: ${skill} has more than ${defaultSkillLimits.maxFiles} files`);
      if (bytes > defaultSkillLimits.maxBytes) throw new TypeError(`readSkills: ${skill} has more than ${defaultSkillLimits.maxBytes} bytes`);
    }
  };
  await look('');
  return files;
}

/** The real path of a regular file within the root. Rejects for anything else. */
async function placeOf(root: string, file: string): Promise<{ readonly path: string; readonly size: number }> {
  const path = await realpath(file).catch(() => {
    throw new TypeError(`readSkills: ${file} is a broken link`);
  });
  if (!path.startsWith(root.endsWith(sep) ? root : root + sep)) throw new TypeError(`readSkills: ${file} is a link that leads out of the folder`);
  const stats = await stat(path);
  if (!stats.isFile()) throw new TypeError(`readSkills: ${file} is not a regular file`);
  return { path, size: stats.size };
}

/** Reads a file that may have changed since it was found: checks its place again, and bounds its size. */
async function contentOf(root: string, file: string): Promise<Uint8Array> {
  const { path } = await placeOf(root, file);
  // A link may have taken its place meanwhile: do not follow it. Windows has no such flag.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const { size } = await handle.stat();
    if (size > defaultSkillLimits.maxBytes) throw new TypeError(`readSkills: ${file} has ${size} bytes, more than ${defaultSkillLimits.maxBytes}`);
    const bytes = new Uint8Array(size);
    const { bytesRead } = await handle.read(bytes, 0, size, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
