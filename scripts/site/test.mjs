import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { brokenLinks } from './check.mjs';
import { documentsOf, linkOf, pageOf, slugOf } from './pages.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('each document is one page, and the guides are among them', () => {
  const documents = documentsOf(root);
  for (const path of ['README.md', 'docs/host.md', 'docs/course/01-one-line.md', 'page/README.md', 'integrations/redis/README.md', 'CHANGELOG.md']) assert.ok(documents.includes(path), path);
  assert.equal(new Set(documents.map(pageOf)).size, documents.length);
  assert.deepEqual(['README.md', 'docs/README.md', 'docs/host.md'].map(pageOf), ['index.html', 'docs/index.html', 'docs/host.html']);
});

test('a link leads to a page, a picture of the site, or into the repository; one that leads nowhere is refused', () => {
  const assets = new Set();
  const to = (link, from) => linkOf(link, from, { root, documents: documentsOf(root), assets, tree: 'https://example.com/tree/main' });
  assert.equal(to('docs/host.md#pins', 'README.md'), 'docs/host.html#pins');
  assert.equal(to('../README.md', 'docs/host.md'), '../index.html');
  assert.equal(to('course/', 'docs/README.md'), 'course/index.html');
  assert.equal(to('../src/host', 'docs/host.md'), 'https://example.com/tree/main/src/host');
  assert.equal(to('#pins', 'docs/host.md'), '#pins');
  assert.equal(to('https://example.org/x.md', 'docs/host.md'), 'https://example.org/x.md');
  assert.equal(to('docs/pictures/tour.svg', 'README.md'), 'docs/pictures/tour.svg');
  assert.deepEqual([...assets], ['docs/pictures/tour.svg']);
  for (const link of ['no-such.md', '../../outside', 'src/no-such']) assert.throws(() => to(link, 'docs/host.md'), /leads to no file/);
});

test('a heading has the id that links in the documents use', () => {
  assert.equal(slugOf('Which tools are offered'), 'which-tools-are-offered');
  assert.equal(slugOf('0.5.0 (2026-11-23, not published)'), '050-2026-11-23-not-published');
});

test('the check finds each link of a built page that leads nowhere', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'barewire-site-'));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'a/b'), { recursive: true });
  writeFileSync(join(folder, 'a/index.html'), '<h1 id="top">x</h1><a href="b">ok</a><a href="../index.html#there">ok</a><a href="#top">ok</a><a href="https://example.com/">ok</a>');
  writeFileSync(join(folder, 'a/b/index.html'), '<a href="../index.html#top">ok</a><a href="../no.html">1</a><a href="../index.html#no">2</a><img src="x.png"><a href="/a/">4</a><a href="../../../x">5</a>');
  writeFileSync(join(folder, 'index.html'), '<p id="there"></p><a href="#nowhere">6</a>');
  const { broken, count, pages } = brokenLinks(folder);
  assert.deepEqual([pages, count], [3, 10]);
  assert.deepEqual(broken.sort(), [
    'a/b/index.html: ../../../x leads out of the site', 'a/b/index.html: ../index.html#no leads to no heading', 'a/b/index.html: ../no.html leads to no file',
    'a/b/index.html: /a/ is from the root of the host, where the site need not be', 'a/b/index.html: x.png leads to no file', 'index.html: #nowhere leads to no heading',
  ]);
});
