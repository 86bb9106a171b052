// Test files that share a process, because starting Node and loading src cost more than most files. Each file can still run by
// itself, and its tests run in order, after those of the previous file. A file that changes or measures its whole process has the
// comment `// In a process of its own: …`, and gets a separate one.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Few, so that processes end at about the same time, and a hanging test is among few files. */
const most = 6;

/** Folders with one process per file: fleet tests stop the clock, which breaks sockets that fetch kept from an earlier file. */
const apart = ['fleet'];

/**
 * Paths for `node --test`: files below `tests` that need a separate process, and new files in `folder` that each import up to six
 * files of one folder of `tests`.
 */
export function together(files, tests, folder) {
  const folders = new Map();
  const entries = [];
  for (const file of files.toSorted()) {
    const parts = relative(tests, file).split(sep);
    const name = parts.length > 1 ? parts[0] : 'test';
    if (apart.includes(name) || /^\/\/ In a process of its own: /m.test(readFileSync(file, 'utf8'))) entries.push(file);
    else folders.set(name, [...(folders.get(name) ?? []), file]);
  }
  mkdirSync(folder, { recursive: true });
  for (const [name, all] of folders) {
    const groups = Math.ceil(all.length / most);
    const size = Math.ceil(all.length / groups);
    for (let at = 0; at < all.length; at += size) {
      const members = all.slice(at, at + size);
      const entry = join(folder, `${name}-${at / size + 1}.test.mjs`);
      if (members.length > 1) writeFileSync(entry, members.map((file) => `import '${pathToFileURL(file)}';\n`).join(''));
      entries.push(members.length > 1 ? entry : members[0]);
    }
  }
  return entries;
}

/** The test files behind a path of `together`. */
export function membersOf(entry) {
  try {
    const members = [...readFileSync(entry, 'utf8').matchAll(/^import '(file:.*\.test\.js)';$/gm)].map(([, url]) => fileURLToPath(url));
    return members.length > 0 ? members : [entry];
  } catch {
    return [entry];
  }
}
