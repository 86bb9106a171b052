// npm run verify: checks that this package is built from these sources. Builds the last commit twice, in two folders with paths
// of different length, and compares the packages file by file, not as archives: gzip output varies.
//
//   npm run verify                      two builds against each other
//   npm run verify -- FILE.tgz          and against a published package (from npm pack barewire@VERSION)
//   npm run verify -- --one FILE        only this: a file of `npm run one` against a build of its commit, byte for byte
//
// It also writes dist/sbom.cdx.json (CycloneDX): serial number and time come from the commit, so it is the same for all. Exits 1
// if a file differs, or if the list of components is not empty.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { verifyOne } from './one/verify.mjs';
import { readWords } from './words.mjs';

const { values: { one }, names: packages } = readWords({ one: { type: 'string' } }, 100);
if (one !== undefined) {
  const differ = await verifyOne(one).catch((error) => [error.message]);
  console.log(differ.length === 0 ? `${one}: the same` : differ.join('\n'));
  process.exit(differ.length === 0 ? 0 : 1);
}

const root = fileURLToPath(new URL('..', import.meta.url));
const run = (cwd, command, ...args) => execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const commit = run(root, 'git', 'rev-parse', 'HEAD').trim();
const manifestName = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).name;
const place = mkdtempSync(join(tmpdir(), 'barewire-verify-'));

/** The files of a package: path to SHA-256. */
function filesOf(tarball, folder) {
  mkdirSync(folder, { recursive: true });
  run(folder, 'tar', '-xzf', tarball);
  const files = new Map();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1).replaceAll('\\', '/').replace(/^[^/]+\//, '');
    files.set(name, createHash('sha256').update(readFileSync(path)).digest('hex'));
  }
  return files;
}

function build(name) {
  const folder = join(place, name);
  run(place, 'git', 'clone', '--quiet', root, folder);
  run(folder, 'git', 'checkout', '--quiet', commit);
  run(folder, 'npm', 'ci', '--silent', '--ignore-scripts');
  run(folder, 'npm', 'run', 'build', '--silent');
  const packed = JSON.parse(run(folder, 'npm', 'pack', '--json', '--ignore-scripts'));
  const [{ filename }] = Array.isArray(packed) ? packed : Object.values(packed);
  return filesOf(join(folder, filename), join(place, `${name}-files`));
}

function differences(a, b) {
  return [...new Set([...a.keys(), ...b.keys()])].filter((path) => a.get(path) !== b.get(path)).sort();
}

function report(what, files, differ) {
  console.log(`${what}: ${files.size} files, ${differ.length === 0 ? 'all the same' : `${differ.length} differ:`}`);
  for (const path of differ) console.log(`  ${path}`);
  if (differ.length > 0) process.exitCode = 1;
}

try {
  const here = build('here');
  const there = build('in-a-folder-with-a-longer-name');
  report(`two builds of ${commit.slice(0, 12)}`, here, differences(here, there));
  for (const given of packages) {
    const published = filesOf(resolve(given), join(place, 'published'));
    report(given, published, differences(here, published));
  }

  const sbom = JSON.parse(run(root, 'npm', 'sbom', '--omit', 'dev', '--sbom-format', 'cyclonedx', '--package-lock-only'));
  const digest = createHash('sha256').update(commit).digest('hex');
  const uuid = [digest.slice(0, 8), digest.slice(8, 12), `5${digest.slice(13, 16)}`, `8${digest.slice(17, 20)}`, digest.slice(20, 32)];
  sbom.metadata.component.name = manifestName;
  sbom.serialNumber = `urn:uuid:${uuid.join('-')}`;
  sbom.metadata.timestamp = new Date(run(root, 'git', 'show', '-s', '--format=%cI', commit).trim()).toISOString();
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(join(root, 'dist/sbom.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`);
  const count = sbom.components?.length ?? 0;
  console.log(`dist/sbom.cdx.json: ${count} components`);
  if (count > 0) process.exitCode = 1;
} finally {
  rmSync(place, { recursive: true, force: true });
}
