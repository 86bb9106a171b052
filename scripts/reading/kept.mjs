// The source lines that esbuild keeps for a program, not minified.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { fromSources } from '../trees.mjs';
import { commentLines } from './comments.mjs';
import { importsFirst } from './order.mjs';

/**
 * Bundles a program `{ code, platform }` or `{ file, platform }` with the sources in `tree`. Other packages are excluded.
 *
 * Returns `files`, those of barewire in reading order: `{ path, kept, lines, comments, sha256 }`, where `kept` counts the lines
 * of code in the bundle, and `lines` and `comments` count lines of the source file. For the bundle it returns `own`, the
 * program's own lines of code, and `bundled`, all lines except empty ones and `//` comments: esbuild keeps the comments of class
 * members. Rejects with esbuild's error.
 */
export async function keptOf(tree, { code, file, platform = 'node' }) {
  const { outputFiles: [{ text }], metafile } = await build({
    ...file === undefined ? { stdin: { contents: code, resolveDir: tree, loader: 'ts' } } : { entryPoints: [file] },
    absWorkingDir: tree,
    bundle: true,
    format: 'esm',
    platform,
    target: 'es2022',
    packages: 'external',
    legalComments: 'none',
    outfile: 'bundle.js',
    write: false,
    metafile: true,
    logLevel: 'silent',
    plugins: [fromSources(tree)],
  }).catch((error) => {
    throw new Error(error.errors?.map(said).join('; ') ?? error.message);
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  const isKept = (path) => path.startsWith('src/') && inputs[path]?.bytesInOutput > 0;
  const byFile = codeByFile(text, new Set(Object.keys(metafile.inputs)));
  const files = importsFirst(Object.keys(inputs).filter(isKept), importedBy(metafile.inputs, isKept)).map((path) => {
    const source = readFileSync(join(tree, path), 'utf8');
    return {
      path,
      kept: byFile.get(path) ?? 0,
      lines: source.split('\n').length - 1,
      comments: commentLines(source),
      sha256: createHash('sha256').update(source).digest('hex'),
    };
  });
  const all = [...byFile.values()].reduce((sum, lines) => sum + lines, 0);
  const own = all - files.reduce((sum, { kept }) => sum + kept, 0);
  return { files, own, bundled: text.split('\n').filter((line) => line.trim() !== '' && !/^\s*\/\//.test(line)).length };
}

const said = ({ text, location }) => (location ? `${relative('.', location.file)}:${location.line}: ${text}` : text);

/**
 * A bundle's lines of code by source file: esbuild writes the file of each module in a comment before it. Lines before the first
 * comment are under an empty name.
 */
export function codeByFile(bundle, files) {
  let text = [];
  const texts = new Map([['', text]]);
  for (const line of bundle.split('\n')) {
    if (line.startsWith('// ') && files.has(line.slice(3))) texts.set(line.slice(3), text = []);
    else text.push(line);
  }
  return new Map([...texts].map(([file, lines]) => [file, lines.filter((line) => line.trim() !== '').length - commentLines(lines.join('\n'))]));
}

/** The kept files that a kept file imports, also through files of which nothing is kept. */
function importedBy(inputs, isKept) {
  const reach = (path, found, seen) => {
    for (const { path: other, external } of inputs[path].imports) {
      if (external || seen.has(other)) continue;
      seen.add(other);
      if (isKept(other)) found.add(other);
      else reach(other, found, seen);
    }
    return found;
  };
  return (path) => reach(path, new Set(), new Set([path]));
}

/** A program's totals: `files` of barewire, `code` including the program's own, and `lines`, which are `bundled`. */
export function totalsOf({ files, own, bundled }) {
  return { files: files.length, code: files.reduce((sum, { kept }) => sum + kept, own), lines: bundled };
}
