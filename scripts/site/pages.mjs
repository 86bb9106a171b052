// Which documents become pages, and where their links lead.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** Folders with documents, from the root. Of `.` only the files that stand there. */
const folders = ['docs', 'docs/coming-from', 'docs/course', 'page', 'requirements', 'examples', 'test/corpus', 'bench'];

/** The documents that become pages, by their paths from the root. */
export function documentsOf(root) {
  const markdown = (folder) => readdirSync(join(root, folder)).filter((name) => name.endsWith('.md')).map((name) => posix.join(folder, name));
  const integrations = readdirSync(join(root, 'integrations')).map((name) => `integrations/${name}/README.md`);
  return [...markdown('.'), ...folders.flatMap(markdown), ...integrations].filter((path) => existsSync(join(root, path))).sort();
}

/** The path of a document's page: README is the page of its folder. */
export const pageOf = (path) => path.replace(/(^|\/)README\.md$/, '$1index.html').replace(/\.md$/, '.html');

/**
 * Where a link of a document leads on the site, relative to the page: to another page, to a picture (which is then among
 * `assets`), or into the repository. Throws for a file that is not there.
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

/** The text of a heading as an id, as GitHub makes it. */
export const slugOf = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '').replaceAll(' ', '-');
