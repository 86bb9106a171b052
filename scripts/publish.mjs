// npm run publish:dry: shows what `npm publish` would send to a registry, for barewire and each other package. It publishes
// nothing: npm gets --dry-run. It fails if a package cannot be published without a change.
//
//   node scripts/publish.mjs [--build]     --build installs and builds each package first; otherwise the existing build is used
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readWords } from './words.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifestOf = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));

/** The published packages: barewire first, because the others need it. */
export const packages = ['.', 'page', ...readdirSync(join(root, 'integrations')).sort().map((name) => `integrations/${name}`)];

/** Necessary changes in a manifest before it can be published. */
export function faultsOf(folder, manifest, own) {
  const { name, version, license, repository, engines, files = [], dependencies = {}, peerDependencies = {}, optionalDependencies = {} } = manifest;
  const faults = [];
  if (manifest.private) faults.push('it is private');
  if (!/^(?:create-)?barewire(?:-[a-z]+)?$/.test(name)) faults.push(`its name is ${name}`);
  if (!/^\d+\.\d+\.\d+$/.test(version)) faults.push(`its version is ${version}`);
  if (license !== 'MIT') faults.push('its licence is not MIT');
  if (!engines?.node) faults.push('it names no version of Node');
  // A registry refuses provenance if this is not the publishing repository.
  if (repository?.url !== own.repository.url || (repository.directory ?? '.') !== folder) faults.push('its repository is not this folder of this one');
  for (const file of ['README.md', 'LICENSE']) if (!existsSync(join(root, folder, file))) faults.push(`it has no ${file}`);
  for (const [to, range] of Object.entries({ ...dependencies, ...peerDependencies, ...optionalDependencies })) {
    if (/^(?:file|link|git|https?):/.test(range)) faults.push(`${to} comes from ${range}`);
  }
  const peer = peerDependencies.barewire;
  if (peer !== undefined && peer !== `>=${own.version}`) faults.push(`it needs barewire ${peer}, and was tested with ${own.version}`);
  if (folder === '.' && Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies }).length > 0) faults.push('barewire has a dependency');
  if (files.length === 0) faults.push('it does not say which files it has');
  return faults;
}

/** The targets of a manifest: each must be among its files. */
export function targetsOf({ exports = {}, bin = {}, main }) {
  const paths = [];
  const walk = (value) => (typeof value === 'string' ? paths.push(value) : Object.values(value ?? {}).forEach(walk));
  walk(exports);
  walk(bin);
  if (main) paths.push(main);
  return [...new Set(paths.map((path) => path.replace(/^\.\//, '')))];
}

const run = promisify(execFile);

async function dryRun(folder, own) {
  const manifest = manifestOf(folder);
  const faults = faultsOf(folder, manifest, own);
  try {
    // Without scripts: everything is built already.
    const { stdout } = await run('npm', ['publish', '--dry-run', '--json', '--ignore-scripts', '--access', 'public'], { cwd: join(root, folder), maxBuffer: 32 * 1024 * 1024 });
    const said = JSON.parse(stdout);
    const { id, files, size, unpackedSize } = said.id ? said : Object.values(said)[0];
    if (id !== `${manifest.name}@${manifest.version}`) faults.push(`npm would publish ${id}`);
    const held = new Set(files.map(({ path }) => path));
    for (const path of ['package.json', 'README.md', 'LICENSE', ...targetsOf(manifest)]) if (!held.has(path)) faults.push(`${path} is not among its files`);
    for (const path of held) if (/(?:^|\/)(?:node_modules|test|\.env|\.npmrc)(?:\/|$)|\.(?:pem|key|tgz)$/.test(path)) faults.push(`${path} would be published`);
    return { line: `${id}: ${files.length} files, ${(size / 1000).toFixed(0)} kB packed, ${(unpackedSize / 1000).toFixed(0)} kB unpacked`, faults };
  } catch (failed) {
    return { line: `${manifest.name}@${manifest.version}`, faults: [...faults, `npm publish --dry-run failed: ${failed.stderr || failed.message}`] };
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const own = manifestOf('.');
  if (readWords({ build: { type: 'boolean' } }).values.build) {
    for (const folder of packages) {
      const npm = (...words) => execFileSync('npm', words, { cwd: join(root, folder), stdio: ['ignore', 'ignore', 'inherit'] });
      npm('ci', '--silent', '--ignore-scripts');
      npm('run', '--silent', 'build');
    }
  }
  let bad = false;
  for (const { line, faults } of await Promise.all(packages.map((folder) => dryRun(folder, own)))) {
    console.log(line);
    for (const fault of faults) console.error(`  FAULT: ${fault}`);
    bad ||= faults.length > 0;
  }
  console.log(bad ? 'not all of it could be published' : 'nothing was published');
  process.exitCode = bad ? 1 : 0;
}
