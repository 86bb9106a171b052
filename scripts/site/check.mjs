// Checks that every link of built pages leads to an existing page, file and heading.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';

const decoded = (text) => text.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"');

/** The broken links of a site's pages, as sentences. `folder`: the site; `leftOut`: pages below these are skipped. */
export function brokenLinks(folder, leftOut = []) {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.html') && !leftOut.some((one) => path.startsWith(one)));
  const ids = new Map();
  const idsOf = (file) => {
    if (!ids.has(file)) ids.set(file, new Set([...readFileSync(file, 'utf8').matchAll(/\s(?:id|name)="([^"]*)"/g)].map(([, id]) => decoded(id))));
    return ids.get(file);
  };
  const broken = [];
  let count = 0;
  for (const page of pages) {
    const text = readFileSync(join(folder, page), 'utf8').replaceAll(/<script[^]*?<\/script>/g, '');
    for (const [, attribute, value] of text.matchAll(/\s(href|src|srcset)="([^"]*)"/g)) {
      const to = decoded(attribute === 'srcset' ? value.split(/\s/)[0] : value);
      if (to === '' || /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(to)) continue;
      count++;
      const [, path, hash] = /^([^#?]*)(?:\?[^#]*)?(?:#(.*))?$/.exec(to);
      if (path.startsWith('/')) {
        broken.push(`${page}: ${to} is from the root of the host, where the site need not be`);
        continue;
      }
      let target = path === '' ? page : posix.normalize(posix.join(posix.dirname(page), decodeURIComponent(path)));
      if (target.startsWith('..')) broken.push(`${page}: ${to} leads out of the site`);
      else {
        if (existsSync(join(folder, target)) && statSync(join(folder, target)).isDirectory()) target = posix.join(target, 'index.html');
        if (!existsSync(join(folder, target))) broken.push(`${page}: ${to} leads to no file`);
        else if (hash !== undefined && hash !== '' && target.endsWith('.html') && target !== 'playground.html' && !idsOf(join(folder, target)).has(decodeURIComponent(hash))) {
          broken.push(`${page}: ${to} leads to no heading`);
        }
      }
    }
  }
  return { broken, count, pages: pages.length };
}
