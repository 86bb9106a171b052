// What playground.html is built of, for esbuild: the sources of the page and of barewire, without what one server in this page,
// which has no address and is judged by a quick run only, can never come to.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));
const judge = fileURLToPath(new URL('../src/judge/', import.meta.url));
const doctor = fileURLToPath(new URL('../src/doctor/', import.meta.url));

/** Modules of the judge that are about addresses, or whose probes a quick run leaves out. */
const leftOut = ['http.ts', 'sse.ts', 'server/http.ts', 'server/mirrored.ts', 'server/authorization.ts', 'server/streams.ts', 'server/http-sse.ts', 'server/hostile.ts', 'server/tasks.ts', 'server/stdio.ts'];

/** What a module exports, with nothing in it: no probes, and functions that nobody calls. */
const emptied = (path) => [...readFileSync(path, 'utf8').matchAll(/^export (?:const|class|abstract class|(?:async )?function\*?) (\w+)/gm)]
  .map(([, name]) => `export const ${name} = ${name.endsWith('Probes') ? '[]' : 'undefined'};\n`).join('');

/** A module of the judge without the probes that a quick run over a pipe leaves out: the members of its table that say so. */
const quickProbes = (text) => text.replaceAll(/^ {2}\{\n(?: {4}.*\n)+? {2}\},\n/gm, (probe) => (/\b(?:slow|hostile): true|\bover: 'http'/.test(probe) ? '' : probe));

/** The words in quotation marks, of the modules that are carried. */
const wordsIn = (folder, isCarried) => new Set(readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.ts') && isCarried(file.replaceAll('\\', '/')))
  .flatMap((file) => [...quickProbes(readFileSync(join(folder, file), 'utf8')).matchAll(/'([a-z][\w-]*)'/g)].map(([, word]) => word)));

/** The lines of a table whose name is known. A rule or a finding that no module names is never told. */
const cut = (text, nameOf, known) => text.split('\n').filter((line) => {
  const name = nameOf.exec(line)?.[1];
  return name === undefined || known.has(name);
}).join('\n');

/** Loads at once what the page of the local server loads late, and leaves out what is never come to. `without`: paths of modules, from the root, that are emptied as well. */
export const playground = (without) => ({
  name: 'playground',
  setup(build) {
    const { onLoad, onResolve } = build;
    // What passes on the exports of others is left: nothing is behind them.
    if (without) onLoad({ filter: /\.(?:tsx?|js)$/ }, ({ path }) => (without.test(path.slice(root.length).replaceAll('\\', '/')) && !/^export (?:\*|\{)/m.test(readFileSync(path, 'utf8')) ? { contents: emptied(path), loader: 'ts' } : undefined));
    // The validator of the worker is the page's too.
    onResolve({ filter: /^barewire\/schema\/full$/ }, ({ resolveDir }) => build.resolve('barewire/schema', { resolveDir, kind: 'import-statement' }));
    // Its server has no address that the doctor could probe.
    onResolve({ filter: /^\.\/address\.ts$/ }, ({ importer }) => (/src[\\/]doctor[\\/]diagnose\.ts$/.test(importer) ? { path: `${here}src/playground/no-address.ts` } : undefined));
    // There is no configuration either, whose rules would decide about calls, and no store of tasks that others could read.
    onResolve({ filter: /^\.\/rules\.ts$/ }, ({ importer }) => (/src[\\/]host[\\/][\w-]+\.ts$/.test(importer) && !importer.startsWith(here) ? { path: `${here}src/playground/no-rules.ts` } : undefined));
    onLoad({ filter: /[\\/]src[\\/]tasks[\\/]sealed-store\.ts$/ }, ({ path }) => ({ contents: emptied(path), loader: 'ts' }));
    // The travel example runs in a worker: what it uses of Node is there in a small form.
    onResolve({ filter: /^node:(timers\/promises|fs\/promises|path|url)$/ }, () => ({ path: `${here}src/playground/machine.ts` }));
    onLoad({ filter: /[\\/]src[\\/](?:ui|host|playground)[\\/].*\.tsx?$/ }, ({ path }) => (path.startsWith(here) ? atOnce(path) : undefined));
    const judging = wordsIn(judge, (file) => /^(?:[\w-]+|server\/[\w-]+|passive\/[\w-]+)\.ts$/.test(file) && !leftOut.includes(file));
    const examining = wordsIn(doctor, (file) => !['address.ts', 'network.ts', 'finding.ts'].includes(file));
    onLoad({ filter: /[\\/]src[\\/]judge[\\/].*\.ts$/ }, ({ path }) => {
      const file = path.slice(judge.length).replaceAll('\\', '/');
      if (leftOut.includes(file)) return { contents: emptied(path), loader: 'ts' };
      // Of a client's rule the judge of a server only asks whether there is one.
      if (file === 'rules/client.ts') return { contents: cut(readFileSync(path, 'utf8'), /^([\w-]+)\|/, judging).replaceAll(/^([\w-]+)\|.*/gm, '$1'), loader: 'ts' };
      if (file.startsWith('rules/')) return { contents: cut(readFileSync(path, 'utf8'), /^([\w-]+)\|/, judging), loader: 'ts' };
      return file.startsWith('server/') ? { contents: quickProbes(readFileSync(path, 'utf8')), loader: 'ts' } : undefined;
    });
    onLoad({ filter: /[\\/]src[\\/]doctor[\\/]finding\.ts$/ }, ({ path }) => ({ contents: cut(readFileSync(path, 'utf8'), /^ {2}'([\w-]+)': \{/, examining), loader: 'ts' }));
  },
});

/** A module whose dynamic imports are static: all is in one file, and the bundler sees what is used. */
function atOnce(path) {
  const names = new Map();
  const text = readFileSync(path, 'utf8').replaceAll(/\bimport\('([^']+)'\)/g, (_, from) => {
    if (!names.has(from)) names.set(from, `late${names.size}`);
    return `Promise.resolve(${names.get(from)})`;
  });
  const imports = [...names].map(([from, name]) => `import * as ${name} from '${from}';\n`).join('');
  return { contents: `${imports}${text}`, loader: basename(path).endsWith('x') ? 'tsx' : 'ts' };
}
