// Test files that share a process. A start of Node and the loading of src cost more than most files do. Each remains a file
// that can be run by itself, and its tests run in their order, after those of the file before it.
// A file that changes or measures its whole process says so in a comment, `// In a process of its own: …`, and gets one.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Few enough that processes end at about the same time, and that what hangs is found among few. */
const most = 6;

/** Folders whose files have a process each: tests of fleets stop the clock, which sockets that fetch keeps from the file before do not survive. */
const apart = ['fleet'];

/**
 * Paths for `node --test`: files below `tests` that have a process of their own, and files that are written into `folder`,
 * each of which imports up to six of the same folder of `tests`.
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

/** The test files that a path of `together` stands for. */
export function membersOf(entry) {
  try {
    const members = [...readFileSync(entry, 'utf8').matchAll(/^import '(file:.*\.test\.js)';$/gm)].map(([, url]) => fileURLToPath(url));
    return members.length > 0 ? members : [entry];
  } catch {
    return [entry];
  }
}
