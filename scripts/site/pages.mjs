// The documents that become pages, and the targets of their links.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** Folders with documents, from the root. */
const folders = ['docs', 'docs/coming-from', 'docs/course', 'page', 'requirements', 'examples', 'test/corpus', 'bench'];

/** The documents that become pages, as paths from the root. */
export function documentsOf(root) {
  const markdown = (folder) => readdirSync(join(root, folder)).filter((name) => name.endsWith('.md')).map((name) => posix.join(folder, name));
  const integrations = readdirSync(join(root, 'integrations')).map((name) => `integrations/${name}/README.md`);
  return [...markdown('.'), ...folders.flatMap(markdown), ...integrations].filter((path) => existsSync(join(root, path))).sort();
}

/** The path of a document's page: README is the page of its folder. */
export const pageOf = (path) => path.replace(/(^|\/)README\.md$/, '$1index.html').replace(/\.md$/, '.html');

/**
 * The target of a document's link on the site, relative to the page: another page, a picture (added to `assets`), or the
 * repository. Throws for a missing file.
 */
export function linkOf(to, from, { root, documents, assets, tree }) {
  if (/^(?:[a-z][a-z0-9+.-]*:|#|\/\/)/i.test(to)) return to;
  const [, path = '', rest = ''] = /^([^#?]*)(.*)$/s.exec(to) ?? [];
  const target = posix.normalize(posix.join(posix.dirname(from), decodeURI(path))).replace(/\/$/, '');
  const file = join(root, target);
  if (target.startsWith('..') || !existsSync(file)) throw new Error(`${from}: ${to} leads to no file`);
  const isFolder = statSync(file).isDirectory();
  const page = documents.includes(target) ? target : isFolder && documents.includes(posix.join(target, 'README.md')) ? posix.join(target, 'README.md') : undefined;
  const here = posix.dirname(pageOf(from));
  if (page !== undefined) return `${posix.relative(here, pageOf(page)) || posix.basename(pageOf(page))}${rest}`;
  if (/\.(?:svg|png|jpe?g|gif)$/.test(target)) {
    assets.add(target);
    return posix.relative(here, target);
  }
  return `${tree}/${target}${rest}`;
}

/** The id of a heading, as on GitHub. */
export const slugOf = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '').replaceAll(' ', '-');
