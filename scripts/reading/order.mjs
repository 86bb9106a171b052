/**
 * Puts files in reading order: each after the files that it imports, and files of one folder together if possible. Files in an
 * import cycle keep their given order.
 *
 * @param files paths in a fallback order, such as that of a bundler
 * @param importsOf the paths that a file imports
 */
export function importsFirst(files, importsOf) {
  const left = new Map(files.map((file) => [file, new Set([...importsOf(file)].filter((other) => other !== file && files.includes(other)))]));
  const order = [];
  let folder;
  while (left.size > 0) {
    const free = [...left.keys()].filter((file) => left.get(file).size === 0);
    const next = free.find((file) => folderOf(file) === folder) ?? free[0] ?? [...left.keys()][0];
    folder = folderOf(next);
    order.push(next);
    left.delete(next);
    for (const imports of left.values()) imports.delete(next);
  }
  return order;
}

const folderOf = (file) => file.slice(0, file.lastIndexOf('/') + 1);
