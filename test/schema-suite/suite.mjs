// Obtains the official JSON Schema Test Suite. It is not kept in this repository; it comes as data from Debian's package
// libtest-json-schema-acceptance-perl, which carries the whole suite (tests and remotes) and names the suite's commit. apt checks
// the package's signature; no root is needed and nothing is installed.
//
// Why Debian: on npm, @json-schema-org/tests (2.0.0) is from before 2020-12, and the examined validators publish without the
// suite. Debian's own json-schema-test-suite is as old. Debian 12 has version 1.019 of April 2023, which has both drafts; a later
// release of Debian has a later one.
//
// SCHEMA_SUITE=<folder> uses a local copy of the suite instead (with tests/ and remotes/ in it).
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = 'libtest-json-schema-acceptance-perl';
const DATA = 'usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance';
const CACHE = fileURLToPath(new URL('.suite/', import.meta.url)); // git-ignored; remove it to download anew

function run(cwd, command, ...args) {
  const { status, error, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (error || status !== 0) {
    throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr.trim()}`);
  }
  return stdout;
}

/** Downloads and unpacks the package into CACHE, completely or not at all. */
function download() {
  const work = mkdtempSync(`${CACHE.replace(/[\\/]$/, '')}-`);
  try {
    // Without package lists on the machine (a fresh container), apt fetches them into a temporary folder.
    const lists = join(work, 'lists');
    const own = ['-o', `Dir::State::Lists=${lists}`, '-o', `Dir::Cache=${join(work, 'cache')}`];
    try {
      run(work, 'apt-get', 'download', PACKAGE);
    } catch {
      for (const folder of ['lists/partial', 'cache/archives/partial']) {
        mkdirSync(join(work, folder), { recursive: true });
      }
      run(work, 'apt-get', ...own, 'update');
      run(work, 'apt-get', ...own, 'download', PACKAGE);
    }
    const [deb] = readdirSync(work).filter((name) => name.endsWith('.deb'));
    run(work, 'dpkg-deb', '-x', deb, 'package');
    renameSync(join(work, deb), join(work, 'package', 'package.deb'));
    if (!existsSync(CACHE)) renameSync(join(work, 'package'), CACHE);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The suite's folder, and its origin in one line. */
function locate() {
  const own = process.env.SCHEMA_SUITE;
  if (own) return { folder: own, origin: own };
  if (!existsSync(CACHE)) {
    try {
      download();
    } catch (problem) {
      throw new Error(
        `The JSON Schema Test Suite could not be had from the Debian package ${PACKAGE} ` +
          `(set SCHEMA_SUITE to a folder that has it): ${problem.message}`,
      );
    }
  }
  const folder = join(CACHE, DATA);
  const version = run(CACHE, 'dpkg-deb', '-f', 'package.deb', 'Version').trim();
  const status = join(folder, 'submodule_status');
  const commit = existsSync(status) ? /[0-9a-f]{40}/.exec(readFileSync(status, 'utf8'))?.[0] : undefined;
  return { folder, origin: `Debian ${PACKAGE} ${version}, commit ${commit ?? 'not told'}` };
}

/**
 * Reads the suite.
 * @param {string[]} drafts folders of tests/, for example 'draft7'
 * @returns {{ origin: string, tests: [string, object[]][], remotes: [string, unknown][] }} groups and schemas
 *   by path: relative to tests/ and remotes/, with slashes, sorted
 * @throws if the suite is not available, or lacks one of the drafts
 */
export function loadSuite(drafts) {
  const { folder, origin } = locate();
  const read = (part, below = '.') => {
    const root = join(folder, part);
    return readdirSync(join(root, below), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
      .sort()
      .map((file) => [relative(root, file).replaceAll('\\', '/'), JSON.parse(readFileSync(file, 'utf8'))]);
  };
  return { origin, tests: drafts.flatMap((draft) => read('tests', draft)), remotes: read('remotes') };
}
