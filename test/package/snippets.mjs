// Every snippet of README.md and docs/, as for a user with barewire in an empty folder: compiled with the installed types, run if
// it has an expected output, and README's first tool called from the command line.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectOf, snippetsOf } from '../../dist/test/documents/snippets.js';

/** Checks the snippets in a `folder` with barewire installed. Throws at the first fault; returns a summary. */
export function checkSnippets(root, folder) {
  const pages = ['README.md', 'SKILL.md', ...readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];
  const texts = new Map(pages.map((page) => [page, readFileSync(join(root, page), 'utf8')]));
  const snippets = [...texts].flatMap(([page, text]) => snippetsOf(page, text));
  const work = join(folder, 'snippets');
  mkdirSync(work);
  const fileOf = (place) => place.replace(/\W+/g, '-');
  for (const { place, program } of snippets) writeFileSync(join(work, `${fileOf(place)}.ts`), program);
  cpSync(join(root, 'test/documents/frameworks.d.ts'), join(work, 'frameworks.d.ts'));
  writeFileSync(join(work, 'tsconfig.json'), JSON.stringify(projectOf(root)));
  try {
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', work], { encoding: 'utf8', stdio: 'pipe' });
  } catch (failed) {
    throw new Error(`the snippets against the installed types:\n${failed.stdout.slice(0, 2000)}`);
  }
  const told = snippets.filter(({ prints }) => prints !== undefined);
  for (const { place, prints } of told) {
    const { stdout, stderr, status } = spawnSync(process.execPath, [join(work, 'out', `${fileOf(place)}.js`)], { cwd: work, encoding: 'utf8', input: '', timeout: 60_000 });
    if (status !== 0 || stderr !== '' || stdout.trim() !== prints) throw new Error(`${place}: ended with ${status}, and said ${stdout.trim()}${stderr}, not ${prints}`);
  }

  // Follows the README literally: saves the file under its name, and calls it without a host.
  const [, name, code] = /Save this as `([\w.]+)`:[^`]*```ts\n([^]*?)```/.exec(texts.get('README.md')) ?? [];
  const [, call] = /^ {4}npx (barewire call .*)$/m.exec(texts.get('README.md')) ?? [];
  if (!name || !call) throw new Error('README.md has no tool to save, or no line that calls it');
  writeFileSync(join(folder, name), code);
  const [command, ...args] = call.split(' ');
  const { stdout, status } = spawnSync(join(folder, 'node_modules/.bin', command), args, { cwd: folder, encoding: 'utf8', timeout: 60_000 });
  if (status !== 0 || stdout.trim() !== '3') throw new Error(`${call}: ended with ${status}, and said ${stdout}, not 3`);
  return `${snippets.length} snippets type-checked, ${told.length} of them run, and README's tool called`;
}
