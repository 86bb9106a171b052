// Joins a program and the sources that it imports into one file. `tsc` removes the types and keeps the comments; rollup removes
// unused code and keeps the comments of the rest. The same commit and program always give the same bytes.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { rollup } from '@rollup/wasm-node';
import { programNamed } from '../programs.mjs';
import { copySources, root, sourceOf, withFolder } from '../trees.mjs';

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/**
 * Makes the file of a program at a commit. `program` is a name of programs.mjs, or the path of a file that imports `barewire/…`.
 * Resolves with its text. Rejects with the error of `tsc` or rollup, and if the program imports another package.
 */
export async function oneFile(program, commit) {
  return withFolder(async (folder) => {
    const tree = join(folder, 'tree');
    copySources(tree, commit);
    const own = /[./\\]/.test(program) && existsSync(program);
    const entry = own ? `program${extname(program)}` : 'program.mjs';
    if (own) copyFileSync(program, join(tree, entry));
    else writeFileSync(join(tree, entry), `${programNamed(program).code.trim().replace(/^ {6}/gm, '')}\n`);
    emit(tree, entry);
    const { code, modules } = await joined(tree, entry);
    const files = modules.filter((path) => path.startsWith('src/'));
    const heading = [
      `barewire-one: ${program}`,
      ...own ? [`The program: ${sha256(readFileSync(program))}  ${program}`] : [],
      `Commit: ${commit}`,
      `Made by: npm run one -- ${program}`,
      'Made again and compared, byte for byte, by: npm run verify -- --one FILE',
      '',
      `The ${files.length} sources of barewire that are in it, by SHA-256, in their order. What the program does not reach of them is left out.`,
      ...files.map((path) => `${sha256(readFileSync(join(tree, path)))}  ${path}`),
      '',
      ...execFileSync('git', ['show', `${commit}:LICENSE`], { cwd: root, encoding: 'utf8' }).trim().split('\n'),
    ];
    return `${heading.map((line) => `// ${line}`.trimEnd()).join('\n')}\n\n${code}`;
  });
}

/** Compiles the sources and a TypeScript program without types, into the folder `out` of the tree. */
function emit(tree, entry) {
  const options = {
    extends: './tsconfig.json',
    compilerOptions: { rootDir: '.', outDir: 'out', declaration: false, isolatedDeclarations: false, allowJs: true, checkJs: false },
    include: ['src', entry],
    exclude: [],
  };
  writeFileSync(join(tree, 'tsconfig.one.json'), JSON.stringify(options));
  try {
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.one.json'], { cwd: tree, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (failed) {
    throw new Error(`tsc: ${failed.stdout.trim().slice(0, 4_000)}`);
  }
}

async function joined(tree, entry) {
  const out = join(tree, 'out');
  const fromTree = {
    name: 'from-tree',
    resolveId(name) {
      if (name.startsWith('node:')) return { id: name, external: true };
      if (name === 'barewire' || name.startsWith('barewire/')) {
        const source = sourceOf(tree, name);
        if (source === undefined) throw new Error(`package.json exports no ${name}`);
        return { id: join(out, source.replace(/\.ts$/, '.js')), moduleSideEffects: false };
      }
      if (!/^[./]/.test(name)) throw new Error(`the program imports ${name}: only barewire and modules of Node go into one file`);
      return undefined;
    },
  };
  const bundle = await rollup({
    input: join(out, entry.replace(/\.ts$/, '.js').replace(/\.mts$/, '.mjs')),
    plugins: [fromTree],
    treeshake: { moduleSideEffects: (id) => !id.startsWith(join(out, 'src')) },
    onwarn({ code, message }) {
      // Type imports may be circular; they are gone after compilation.
      if (code !== 'CIRCULAR_DEPENDENCY') throw new Error(message);
    },
  });
  const { output: [chunk] } = await bundle.generate({ format: 'es', inlineDynamicImports: true, generatedCode: 'es2015' });
  await bundle.close();
  return named(chunk, (id) => relative(out, id).replaceAll('\\', '/').replace(/^(src\/.*)\.js$/, '$1.ts'));
}

/** The code with the name of each source before its remaining part. */
function named({ code, modules }, nameOf) {
  let [text, from] = ['', 0];
  const kept = [];
  for (const [id, { code: part }] of Object.entries(modules)) {
    if (!part) continue;
    const at = code.indexOf(part, from);
    if (at < 0) throw new Error(`${nameOf(id)} is not where it belongs`);
    text += `${code.slice(from, at)}// ======== ${nameOf(id)} ========\n\n`;
    kept.push(nameOf(id));
    text += part;
    from = at + part.length;
  }
  return { code: text + code.slice(from), modules: kept };
}
