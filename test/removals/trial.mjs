// A copy of the compiled tree in which one rule at a time is broken, and the result of a named test there.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { applied } from '../../scripts/requirements/removals.mjs';

/** A test as named in the matrix: its files, and a text in the titles. */
export function testOf(place) {
  const at = place.indexOf(': ');
  const path = at < 0 ? place : place.slice(0, at);
  const compiled = (file) => file.replace(/^test/, 'dist/test').replace(/\.ts$/, '.js');
  if (path.endsWith('.wire')) {
    const files = ['test/transcripts/transcripts.test.ts', 'test/transcripts/clients.test.ts'];
    return { files: files.map(compiled), title: path.replace('test/transcripts/', '') };
  }
  if (path.endsWith('.http')) return { files: [compiled('test/transcripts/http.test.ts')], title: path.replace('test/transcripts/', '') };
  return path.endsWith('.test.ts') ? { files: [compiled(path)], title: at < 0 ? '' : place.slice(at + 2) } : undefined;
}

/** The tests that ran in a TAP report: { title, ok }, at every depth, without suites. */
export function resultsOf(report) {
  return [...report.matchAll(/^( *)(not )?ok \d+ - (.*?)( # (?:SKIP|TODO).*)?\n\1  ---\n([\s\S]*?)\n\1  \.\.\.$/gm)]
    .filter(([, , , title, skipped, notes]) => !skipped && !/\.test\.js$/.test(title) && !/^ *type: 'suite'$/m.test(notes))
    .map(([, , not, title]) => ({ title: title.replaceAll('\\#', '#').replaceAll('\\\\', '\\'), ok: !not }));
}

const literal = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** A pattern for titles of the matrix; a computed part is written there as `${…}`. */
export function patternOf({ title }) {
  return title.split(/\$\{[^}]*\}/).map(literal).join('.*');
}

/** A source after compilation: without types, with imports of compiled modules. */
const compiled = (text) => transformSync(text, {
  loader: 'ts', target: 'es2022', tsconfigRaw: { compilerOptions: { useDefineForClassFields: false, verbatimModuleSyntax: true } },
}).code.replace(/((?:from|import)\s*\(?\s*["'][.][^"']*)\.ts(["'])/g, '$1.js$2');

export class Trial {
  #root;

  constructor(top) {
    this.#root = mkdtempSync(join(tmpdir(), 'barewire-removals-'));
    for (const name of readdirSync(top)) {
      if (name === 'dist' || name === 'docs') cpSync(join(top, name), join(this.#root, name), { recursive: true });
      else if (name !== '.git') symlinkSync(join(top, name), join(this.#root, name));
    }
    // Tests start the newer command (test/cli/program.ts): make that the one of the broken modules.
    utimesSync(join(this.#root, 'dist/lib/cli.js'), 0, 0);
  }

  /** The folder of the copy. */
  get root() {
    return this.#root;
  }

  /** Runs the tests of the files whose title contains the text; returns those that ran. `late`: a test did not end. */
  async run({ files, title }, { seconds = 30 } = {}) {
    const pattern = title ? [`--test-name-pattern=${patternOf({ title })}`] : [];
    const all = { late: false, results: [] };
    for (const file of files) {
      const child = spawn(process.execPath, ['--test-reporter=tap', ...pattern, file], {
        cwd: this.#root, stdio: ['ignore', 'pipe', 'ignore'], detached: true,
      });
      let report = '';
      child.stdout.setEncoding('utf8').on('data', (text) => { report += text; });
      let late = false;
      const end = () => { try { process.kill(-child.pid, 'SIGKILL'); } catch {} };
      const timer = setTimeout(() => {
        late = true;
        end();
      }, seconds * 1000);
      await new Promise((resolve) => child.on('close', resolve));
      clearTimeout(timer);
      // Ends the processes that a test left in its process group.
      end();
      all.late ||= late;
      all.results.push(...resultsOf(report));
      if (all.results.some(({ ok }) => !ok)) break;
    }
    return all;
  }

  /** Runs `work` while sources are edited. */
  async edited(changes, work) {
    const before = new Map();
    const after = new Map();
    for (const change of changes) {
      const { path } = change;
      after.set(path, applied(after.get(path) ?? readFileSync(join(this.#root, path), 'utf8'), change));
    }
    for (const [path, text] of after) {
      const file = join(this.#root, path.replace(/^(src|test)(.*)\.ts$/, 'dist/$1$2.js'));
      before.set(file, readFileSync(file, 'utf8'));
      writeFileSync(file, path.endsWith('.ts') ? compiled(text) : text);
    }
    try {
      return await work();
    } finally {
      for (const [file, text] of before) writeFileSync(file, text);
    }
  }

  remove() {
    rmSync(this.#root, { recursive: true, force: true });
  }
}
