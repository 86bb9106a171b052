// The engines: requirements on this machine, build, and how to run a program. `inCi`: built within a minute.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ng from '@jitl/quickjs-ng-wasmfile-release-sync';
import classic from '@jitl/quickjs-wasmfile-release-sync';
import { inWasm } from './wasm.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const asksIn = (name) => (name === 'asking' ? 'questions' : 'none');
const run = (command, args, options) => execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], ...options });
const printed = (command, args) => JSON.parse(run(command, args));
const starts = (command, args = ['--version']) => !spawnSync(command, args, { stdio: 'ignore' }).error;

/** Cargo's target folder: outside the tree, and kept between runs. */
export const target = join(tmpdir(), 'barewire-engines-target');

const cargo = (crate, ...args) => run('cargo', ['build', '--release', '--quiet', '--manifest-path', `${here}${crate}/Cargo.toml`, '--target-dir', target, ...args]);

/** QuickJS-ng from the sources in the crate; `triple`: for another machine. */
function native(bits, triple) {
  const made = join(target, ...(triple ? [triple] : []), 'release/barewire-quickjs-ng');
  return {
    name: `QuickJS-ng, native, ${bits} bits, from bytecode`,
    inCi: !triple,
    missing() {
      if (!starts('cargo')) return 'there is no cargo';
      if (triple && !existsSync(join(run('rustc', ['--print', 'sysroot']).trim(), 'lib/rustlib', triple))) return `rustup target add ${triple}`;
      // gcc-multilib brings the C compiler's own library for 32 bits.
      if (triple && run('gcc', ['-m32', '-print-libgcc-file-name']).trim() === run('gcc', ['-print-libgcc-file-name']).trim()) return 'gcc has no 32 bits (gcc-multilib)';
      return undefined;
    },
    prepare: () => void cargo('quickjs-ng', ...(triple ? ['--target', triple] : [])),
    command: made,
    run: (name, { files, calls }) => printed(made, [name === 'client' ? 'client' : 'server', files[name], files.validated, String(calls), asksIn(name)]),
    programs: ['tools', 'validated', 'asking', 'client'],
  };
}

const wasm = (title, variant) => ({
  name: `${title}, WebAssembly, 32 bits`,
  inCi: variant === ng,
  run: (name, { files, calls }) => inWasm(variant, readFileSync(files[name], 'utf8'), calls, name === 'asking'),
});

const goja = {
  name: 'goja (Go)',
  inCi: true,
  missing: () => (starts('go', ['version']) ? undefined : 'there is no go'),
  prepare({ folder }) {
    run('go', ['build', '-o', join(folder, 'goja'), '.'], { cwd: `${here}goja` });
  },
  run: (name, { folder, files, calls }) => printed(join(folder, 'goja'), [files[name], String(calls), asksIn(name)]),
};

const boa = {
  name: 'Boa (Rust)',
  missing: () => (starts('cargo') ? undefined : 'there is no cargo'),
  prepare: () => void cargo('boa'),
  run: (name, { files, lines }) => printed(join(target, 'release/barewire-boa'), [files[name], lines[asksIn(name)]]),
};

const graal = {
  name: 'GraalJS (Java), interpreted',
  missing: () => (starts('mvn') && starts('java') ? undefined : 'there is no mvn or no java'),
  prepare({ folder }) {
    const at = join(folder, 'graal');
    cpSync(`${here}graal`, at, { recursive: true });
    run('mvn', ['-q', '-B', 'compile', 'dependency:build-classpath', '-Dmdep.outputFile=classpath'], { cwd: at, stdio: 'inherit' });
  },
  run(name, { folder, files, lines }) {
    const at = join(folder, 'graal');
    return printed('java', ['-cp', `${join(at, 'target/classes')}:${readFileSync(join(at, 'classpath'), 'utf8')}`, 'Device', files[name], lines[asksIn(name)]]);
  },
};

const wasi = {
  name: 'WASI component (StarlingMonkey), run by jco',
  prepare() {
    run('npm', ['ci', '--silent', '--no-audit', '--no-fund', '--prefix', `${here}wasi`]);
  },
  run: (name, { files, calls }) => printed(process.execPath, [`${here}wasi/run.mjs`, String(calls), asksIn(name), files[name]]),
};

/** Compiled, not run: the package has the compiler but no engine. */
const hermes = {
  name: 'Hermes, compiled, not run',
  missing: () => (process.platform === 'linux' && process.arch === 'x64' ? undefined : 'the compiler is for Linux on x64'),
  run(name, { folder, files }) {
    const out = join(folder, `${name}.hbc`);
    run(`${here}node_modules/hermes-compiler/hermesc/linux64-bin/hermesc`, ['-w', '-O', '-emit-binary', '-out', out, files[name]]);
    return { code: statSync(out).size };
  },
};

export const engines = [native(32, 'i686-unknown-linux-gnu'), native(64), wasm('QuickJS-ng', ng), wasm('QuickJS', classic), goja, boa, graal, wasi, hermes];

/** Engines of Debian that cannot parse the bundle even at esbuild's lowest level (ES2015). */
export const tooOld = [{ name: 'Duktape', command: 'duk' }, { name: 'MuJS', command: 'mujs' }];

/**
 * The error of such an engine for a program; undefined: not installed. Throws if it succeeds: the engine then belongs into the
 * table.
 */
export function complaint({ name, command }, file) {
  if (!starts(command)) return undefined;
  const { stderr, stdout } = spawnSync(command, [file], { encoding: 'utf8' });
  const found = /SyntaxError: [^\n]*/.exec(`${stderr}\n${stdout}`)?.[0];
  if (found === undefined) throw new Error(`${name} parses the program: it belongs into the table`);
  return found.replaceAll(file, 'the program');
}
