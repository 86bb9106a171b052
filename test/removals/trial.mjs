// A copy of the compiled tree in which one module at a time is broken, and what a named test says of it.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A test as the matrix names it: the files to run, and a text that the titles hold. */
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

/** The tests of a TAP report that ran: { title, ok }, of every depth, without the suites that hold them. */
export function resultsOf(report) {
  return [...report.matchAll(/^( *)(not )?ok \d+ - (.*?)( # (?:SKIP|TODO).*)?\n\1  ---\n([\s\S]*?)\n\1  \.\.\.$/gm)]
    .filter(([, , , title, skipped, notes]) => !skipped && !/\.test\.js$/.test(title) && !/^ *type: 'suite'$/m.test(notes))
    .map(([, , not, title]) => ({ title: title.replaceAll('\\#', '#').replaceAll('\\\\', '\\'), ok: !not }));
}

const literal = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** A pattern of the titles that the matrix means: one that the program makes stands there with its `${…}`. */
export function patternOf({ title }) {
  return title.split(/\$\{[^}]*\}/).map(literal).join('.*');
}

export class Trial {
  #root;

  constructor(top) {
    this.#root = mkdtempSync(join(tmpdir(), 'barewire-removals-'));
    for (const name of readdirSync(top)) {
      if (name === 'dist') cpSync(join(top, name), join(this.#root, name), { recursive: true });
      else if (name !== '.git') symlinkSync(join(top, name), join(this.#root, name));
    }
    // Tests start the newer command (test/cli/program.ts): here the one made of the modules that will be broken.
    utimesSync(join(this.#root, 'dist/lib/cli.js'), 0, 0);
  }

  /**
   * Runs tests, of all that the files hold those whose title has the text, and gives what ran. `late`: a test did not
   * end, which node:test reports of its file and not by name.
   */
  async run({ files, title }, { coverage, seconds = 60 } = {}) {
    const pattern = title ? [`--test-name-pattern=${patternOf({ title })}`] : [];
    const args = ['--test', '--test-reporter=tap', `--test-timeout=${seconds * 1000}`, '--test-concurrency=1', ...pattern, ...files];
    const child = spawn(process.execPath, args, {
      cwd: this.#root, stdio: ['ignore', 'pipe', 'ignore'], detached: true,
      env: { ...process.env, ...(coverage && { NODE_V8_COVERAGE: coverage }) },
    });
    let report = '';
    child.stdout.setEncoding('utf8').on('data', (text) => { report += text; });
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      try { process.kill(-child.pid, 'SIGKILL'); } catch {}
    }, seconds * 1500);
    await new Promise((resolve) => child.on('close', resolve));
    clearTimeout(timer);
    // What a test left behind belongs to its process group.
    try { process.kill(-child.pid, 'SIGKILL'); } catch {}
    return { late: late || report.includes("failureType: 'testTimeoutFailure'"), results: resultsOf(report) };
  }

  /** Runs `work` while a module is broken by a change. */
  async broken(path, { start, end, replacement }, work) {
    const file = join(this.#root, path);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.slice(0, start) + replacement + text.slice(end));
    try {
      return await work();
    } finally {
      writeFileSync(file, text);
    }
  }

  /** How often each part of the modules of `dist/src` ran: a map of paths to ranges, the inner ones last. */
  async covered(test) {
    const folder = mkdtempSync(join(tmpdir(), 'barewire-coverage-'));
    const { results, late } = await this.run(test, { coverage: folder });
    const base = `${pathToFileURL(this.#root)}/`;
    const modules = new Map();
    for (const name of readdirSync(folder)) {
      let report;
      try { report = JSON.parse(readFileSync(join(folder, name), 'utf8')); } catch { continue; }
      for (const { url, functions } of report.result) {
        if (!url.startsWith(`${base}dist/src/`)) continue;
        const path = url.slice(base.length);
        const list = modules.get(path) ?? modules.set(path, []).get(path);
        list.push(functions.flatMap(({ ranges }) => ranges).map(({ startOffset, endOffset, count }) => [startOffset, endOffset, count]));
      }
    }
    rmSync(folder, { recursive: true });
    return { modules, results, late };
  }

  remove() {
    rmSync(this.#root, { recursive: true, force: true });
  }
}

/** Whether a place ran, by the reports of `covered`: the smallest range around it decides. */
export function ran(modules, path, place) {
  return (modules.get(path) ?? []).some((ranges) => {
    let inner;
    for (const range of ranges) {
      if (range[0] <= place && place < range[1] && (!inner || range[1] - range[0] <= inner[1] - inner[0])) inner = range;
    }
    return inner && inner[2] > 0;
  });
}
