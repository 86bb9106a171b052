// npm run build: removes the compiled files of earlier builds, because compiled tests of deleted files would still run; then tsc; then the
// published files (bundle.mjs). If neither sources nor compiled files have changed since the last build, it does nothing; --anew builds in
// any case. So each command of package.json can begin with it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readWords } from './words.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'dist/built');
const { values } = readWords({ anew: { type: 'boolean' } });

/** The files of a folder whose name ends so; without packages that are installed there, and without hidden folders. */
function filesOf(folder, end = '') {
  const entries = existsSync(join(root, folder)) ? readdirSync(join(root, folder), { withFileTypes: true }) : [];
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' || entry.name.startsWith('.') ? [] : filesOf(path, end);
    return entry.isFile() && path.endsWith(end) ? [path] : [];
  });
}

/** A digest of the names and contents of files. */
function digestOf(files) {
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(`${file}\0`).update(createHash('sha256').update(readFileSync(join(root, file))).digest());
  return hash.digest('hex');
}

const sources = () => digestOf([...['src', 'test', 'examples'].flatMap((folder) => filesOf(folder, '.ts')), ...filesOf('scripts', '.mjs'), 'package.json', 'package-lock.json', 'tsconfig.json']);
const compiled = () => digestOf(['src', 'test', 'examples', 'lib', 'types'].flatMap((folder) => filesOf(`dist/${folder}`)));

/** Runs a program of Node; a failure ends the build. */
function run(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

const before = sources();
if (values.anew || !existsSync(stamp) || readFileSync(stamp, 'utf8') !== `${before} ${compiled()}\n`) {
  for (const folder of ['src', 'test', 'examples']) rmSync(join(root, 'dist', folder), { recursive: true, force: true });
  rmSync(stamp, { force: true });
  run('node_modules/typescript/bin/tsc');
  run('scripts/bundle.mjs');
  writeFileSync(stamp, `${before} ${compiled()}\n`);
}
