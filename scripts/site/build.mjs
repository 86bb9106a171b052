// npm run site: the documents, the course, the reference and the playground as static pages in scripts/site/dist, with a search
// index. Fails if a link is broken.
//
//   node build.mjs [--built] [--no-playground] [--only-documents]
//     --built            uses an existing reference from `npm run api`
//     --no-playground    without the playground, which is built with the page
//     --only-documents   also without the reference
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import Eleventy from '@11ty/eleventy';
import * as pagefind from 'pagefind';
import { brokenLinks } from './check.mjs';
import { documentsOf, linkOf, pageOf, slugOf } from './pages.mjs';
import { readWords } from '../words.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));
const out = join(here, 'dist');
const input = join(here, '.input');
const { values } = readWords({ built: { type: 'boolean' }, 'no-playground': { type: 'boolean' }, 'only-documents': { type: 'boolean' } });
const reference = !values['only-documents'];
const playground = reference && !values['no-playground'];
const { homepage } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const tree = `${homepage.replace(/#.*$/, '')}/tree/main`;

const parts = [
  { name: 'Guides', page: 'docs/index.html' }, { name: 'Course', page: 'docs/course/index.html' },
  { name: 'Coming from', page: 'docs/coming-from/index.html' }, { name: 'Compared', page: 'docs/compared.html' },
  ...reference ? [{ name: 'Reference', page: 'api/index.html' }] : [], ...playground ? [{ name: 'Playground', page: 'playground.html' }] : [],
  { name: 'Changes', page: 'CHANGELOG.html' },
];

function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
}

rmSync(out, { recursive: true, force: true });
rmSync(input, { recursive: true, force: true });
const documents = documentsOf(root);
const assets = new Set();
for (const path of documents) {
  mkdirSync(dirname(join(input, path)), { recursive: true });
  cpSync(join(root, path), join(input, path));
}
mkdirSync(join(input, '_includes'), { recursive: true });
cpSync(join(here, 'layout.njk'), join(input, '_includes/layout.njk'));

/** The document of an Eleventy page, as a path from the root. */
const pathOf = ({ inputPath }) => posix.relative(posix.normalize(posix.relative(root.replaceAll('\\', '/'), input.replaceAll('\\', '/'))), posix.normalize(inputPath.replaceAll('\\', '/')));

/** Rewrites links, pictures and headings for the site. */
function linksOf(markdown) {
  const to = (value, env) => linkOf(value, env.path, { root, documents, assets, tree });
  const html = (token, env) => (token.content = token.content.replaceAll(/\b(href|src|srcset)="([^"]*)"/g, (_, name, value) => `${name}="${to(value, env)}"`));
  const walk = (tokens, env) => {
    const seen = env.seen ??= new Map();
    tokens.forEach((token, at) => {
      if (token.type === 'heading_open') {
        const text = (tokens[at + 1]?.children ?? []).filter(({ type }) => type === 'text' || type === 'code_inline').map(({ content }) => content).join('');
        const slug = slugOf(text);
        const times = seen.get(slug) ?? 0;
        seen.set(slug, times + 1);
        token.attrSet('id', times === 0 ? slug : `${slug}-${times}`);
      }
      for (const name of ['href', 'src']) {
        const value = token.attrGet(name);
        if (value !== null) token.attrSet(name, to(value, env));
      }
      // Comments are markers for the tests of the documents.
      if (token.type === 'html_block' || token.type === 'html_inline') token.content = token.content.replaceAll(/<!--[^]*?-->/g, '');
      if (token.type === 'html_block' || token.type === 'html_inline') html(token, env);
      if (token.children) walk(token.children, env);
    });
  };
  markdown.core.ruler.push('site', ({ tokens, env }) => walk(tokens, Object.assign(env, { path: pathOf(env.page), seen: new Map() })));
}

process.chdir(root);
const eleventy = new Eleventy(posix.relative(root, input), posix.relative(root, out), {
  quietMode: true, configPath: null,
  config(config) {
    config.setUseGitIgnore(false);
    config.amendLibrary('md', linksOf);
    config.addGlobalData('layout', 'layout.njk');
    config.addGlobalData('parts', () => parts);
    config.addGlobalData('permalink', () => ({ page }) => pageOf(pathOf(page)));
    config.addGlobalData('eleventyComputed', () => ({
      here: ({ page }) => pageOf(pathOf(page)),
      up: ({ page }) => '../'.repeat(pathOf(page).split('/').length - 1),
      source: ({ page }) => `${tree}/${pathOf(page)}`,
      heading: ({ page }) => /^# (.*)$/m.exec(readFileSync(join(root, pathOf(page)), 'utf8'))?.[1].replaceAll('`', '') ?? pathOf(page),
    }));
    return { dir: { includes: '_includes' }, markdownTemplateEngine: false, htmlTemplateEngine: false };
  },
});
await eleventy.write();
for (const path of assets) {
  mkdirSync(dirname(join(out, path)), { recursive: true });
  cpSync(join(root, path), join(out, path));
}
for (const name of ['site.css', 'site.js']) cpSync(join(here, name), join(out, name));
writeFileSync(join(out, '.nojekyll'), '');

if (reference) {
  if (!values.built) run('npm', ['run', 'api', '--silent']);
  cpSync(join(root, 'docs/api/html'), join(out, 'api'), { recursive: true });
}
if (playground) {
  if (!existsSync(join(root, 'page/dist/playground.html'))) {
    run('npm', ['ci', '--silent', '--ignore-scripts', '--prefix', 'page']);
    run('npm', ['run', 'build', '--silent', '--prefix', 'page']);
  }
  cpSync(join(root, 'page/dist/playground.html'), join(out, 'playground.html'));
}

const { index } = await pagefind.createIndex();
// Pages without data-pagefind-body (the reference, which has its own search, and the playground) are not in the index.
const { errors } = await index.addDirectory({ path: out, glob: '**/*.html' });
if (errors.length > 0) throw new Error(errors.join('\n'));
await index.writeFiles({ outputPath: join(out, 'pagefind') });
await pagefind.close();
rmSync(input, { recursive: true, force: true });

const { broken, count, pages } = brokenLinks(out, ['playground.html']);
for (const line of broken) console.error(line);
console.log(`${pages} pages, ${documents.length} of them in the search, ${count} links, ${broken.length} of them broken`);
process.exitCode = broken.length > 0 ? 1 : 0;
