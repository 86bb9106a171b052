// The internal exports of a folder of src (internal-exports.ts, its door) and the indexes of `jsonrpc` and `protocol` contain
// only re-exports. A program that imports a name through one gets the file behind it, and no other. The published files and
// capabilities.json rely on that.
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const doors = ['jsonrpc', 'protocol', 'server', 'client', 'transport', 'transport/stdio', 'transport/http/node'].map((folder) => `${folder}/internal-exports`);
const indexes = ['jsonrpc/index', 'protocol/index'];
const importsOf = (files) => new RegExp(`^import (type )?\\{([^}]*)\\} from '(\\.[^']*/(?:${files.join('|')})\\.(?:js|ts))';`, 'gm');
const ofDoors = importsOf(doors);
const ofBoth = importsOf([...doors, ...indexes]);

const namesIn = (list) => list.split(',').map((name) => name.trim()).filter((name) => name !== '');
const known = new Map();

/** The re-exports of a door: exported name, file, and original name. */
function behind(door) {
  let names = known.get(door);
  if (names) return names;
  names = new Map();
  for (const [, list, file] of readFileSync(door, 'utf8').matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)';/gm)) {
    for (const item of namesIn(list)) {
      const [name, taken = name] = item.split(' as ');
      names.set(taken, { name, file: join(dirname(door), file) });
    }
  }
  known.set(door, names);
  return names;
}

/**
 * A source or its compiled form, with each import of a door replaced by imports of the files behind it, on the same number of
 * lines.
 */
export function throughDoors(file, { alsoIndexes = false } = {}) {
  const folder = dirname(file);
  return readFileSync(file, 'utf8').replace(alsoIndexes ? ofBoth : ofDoors, (statement, type = '', list, door) => {
    if (type !== '' && alsoIndexes) return statement;
    const names = behind(join(folder, file.endsWith('.d.ts') ? door.replace(/\.ts$/, '.d.ts') : door));
    const from = new Map();
    for (const item of namesIn(list)) {
      const [, inline = '', taken, own = taken] = /^(type )?(\w+)(?: as (\w+))?$/.exec(item) ?? [];
      const found = names.get(taken);
      if (found === undefined) throw new Error(`${file}: ${door} does not name ${item}`);
      from.set(found.file, [...from.get(found.file) ?? [], inline + (found.name === own ? own : `${found.name} as ${own}`)]);
    }
    const path = (to) => relative(folder, to).replaceAll('\\', '/').replace(/^(?!\.)/, './');
    return [...from].map(([to, items]) => `import ${type}{ ${items.join(', ')} } from '${path(to)}';`).join(' ') + '\n'.repeat(statement.split('\n').length - 1);
  });
}
