import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { templates } from './templates.ts';

/** The options of a new project. */
export interface CreateOptions {
  /** One of `templates`. */
  readonly template: string;
  /** The spec to install as `barewire`: a version, or `file:` and a path. */
  readonly barewire: string;
}

const compiler = {
  target: 'es2022', module: 'nodenext', lib: ['es2023', 'dom', 'dom.iterable'], types: ['node'], rootDir: 'src', outDir: 'dist', strict: true,
  noUncheckedIndexedAccess: true, verbatimModuleSyntax: true, rewriteRelativeImportExtensions: true, skipLibCheck: true,
};

/** Modules that run as programs. The others are imported. */
const programs: Readonly<Record<string, string>> = { server: 'main', client: 'main', oauth: 'main', tasks: 'main' };

/**
 * Writes a project into a folder, which is created if missing, and names it after the folder. Rejects if the folder is not empty,
 * or if its name is not a valid package name.
 */
export async function create(folder: string, { template, barewire }: CreateOptions): Promise<void> {
  if (!Object.hasOwn(templates, template)) throw new Error(`there is no template ${template}: expected ${Object.keys(templates).join(', ')}`);
  const place = resolve(folder);
  const name = basename(place);
  if (!/^[a-z0-9][a-z0-9._-]{0,100}$/.test(name)) {
    throw new Error(`${name} cannot be the name of a package: expected lower-case letters, digits, and . _ - after the first`);
  }
  await mkdir(place, { recursive: true });
  if ((await readdir(place)).length > 0) throw new Error(`${place} is not empty`);
  await cp(fileURLToPath(new URL(`../../templates/${template}`, import.meta.url)), join(place, 'src'), { recursive: true });
  const main = programs[template];
  const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
  await writeFile(join(place, 'package.json'), json({
    name, version: '0.1.0', private: true, type: 'module', engines: { node: '>=20' },
    scripts: { build: 'tsc', test: 'tsc && node --test dist/*.test.js', ...main !== undefined && { start: `tsc && node dist/${main}.js` } },
    dependencies: { barewire },
    devDependencies: { '@types/node': '^20.19.43', typescript: '^7.0.2' },
  }));
  await writeFile(join(place, 'tsconfig.json'), json({ compilerOptions: compiler, include: ['src'] }));
  // npm leaves out a file of this name when it packs a template.
  await writeFile(join(place, '.gitignore'), 'node_modules/\ndist/\n');
}
