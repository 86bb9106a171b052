// npm run verify -- --one FILE: checks that this file is the output of its commit for its program. The commit is checked out and
// built with its own tool versions, so that a newer compiler makes no difference.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitOf, root, withFolder } from '../trees.mjs';

/** Maximum characters of the heading. */
const headingChars = 4_096;

/** Resolves with sentences on the differences; none: the file is the same. Rejects if the file does not name its origin. */
export async function verifyOne(file) {
  const given = readFileSync(file, 'utf8');
  const heading = given.slice(0, headingChars);
  const line = (pattern) => pattern.exec(heading)?.[1];
  const program = line(/^\/\/ barewire-one: ([^-\s].*)$/m);
  const named = line(/^\/\/ Commit: ([0-9a-f]{40})$/m);
  if (program === undefined || named === undefined) throw new Error(`${file} has no heading of npm run one`);
  const commit = commitOf(named);
  const hash = line(/^\/\/ The program: ([0-9a-f]{64}) {2}/m);
  if (hash !== undefined) {
    if (!existsSync(program)) throw new Error(`the program ${program} is not here: it is part of what is made again`);
    if (createHash('sha256').update(readFileSync(program)).digest('hex') !== hash) return [`the program ${program} is not the one that the file names`];
  }
  return withFolder(async (folder) => {
    const tree = join(folder, 'tree');
    const made = join(folder, 'made.mjs');
    const run = (command, ...args) => execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    run('git', 'clone', '--quiet', '--no-checkout', root, tree);
    run('git', '-C', tree, 'checkout', '--quiet', commit);
    for (const prefix of [tree, join(tree, 'scripts/one')]) run('npm', 'ci', '--silent', '--ignore-scripts', '--prefix', prefix);
    run(process.execPath, join(tree, 'scripts/one.mjs'), program, '--out', made);
    return difference(given, readFileSync(made, 'utf8'), commit);
  });
}

/** Describes where two texts first differ. */
function difference(given, made, commit) {
  if (given === made) return [];
  const [ours, theirs] = [made.split('\n'), given.split('\n')];
  const at = ours.findIndex((text, i) => text !== theirs[i]);
  const shown = (text) => JSON.stringify((text ?? '(nothing)').slice(0, 200));
  const line = at < 0 ? ours.length : at;
  return [`line ${line + 1} differs from what commit ${commit.slice(0, 12)} makes:`, `  the file: ${shown(theirs[line])}`, `  made:     ${shown(ours[line])}`];
}
