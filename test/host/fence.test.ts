import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { Host } from '../../src/host/host.ts';
import { resolvePath } from '../../src/host/node/resolve-path.ts';
import { readRules } from '../../src/host/read-rules.ts';
import { rule } from '../../src/host/rules.ts';
import type { ResolvePath, Rule, Verdict } from '../../src/host/rules.ts';
import { McpServer } from '../../src/server/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import { everyNth } from '../every-nth.ts';
import { randomOf } from '../random.ts';

const decide = async (rules: readonly Rule[], path: unknown, resolver?: ResolvePath): Promise<Verdict> =>
  (await rule(rules, { server: 's', trusted: false, tool: { name: 't', inputSchema: { type: 'object' } }, args: { path } }, resolver)).verdict;

const etc: readonly Rule[] = [{ args: { path: '/etc/**' }, then: 'deny' }, { then: 'allow' }];

/** Spellings that some program may read as /etc/passwd. None may pass. */
const spellings = [
  '/etc/passwd', '/etc', '/etc/', '//etc/passwd', '///etc//passwd', '/./etc/passwd', '/etc/./passwd', '/x/../etc/passwd', '/etc/x/../passwd', '/../etc/passwd',
  '../../etc/passwd', '../../../../../../etc/passwd', 'link/../passwd', './../etc/passwd', 'etc/passwd', 'passwd',
  'file:/etc/passwd', 'file:///etc/passwd', 'file:////etc/passwd', 'file://localhost/etc/passwd', 'file://LOCALHOST/etc/passwd', 'FILE:///etc/passwd', 'File:/etc/passwd',
  'file:etc/passwd', 'file://127.0.0.1/etc/passwd', 'file://other/etc/passwd', 'file://etc/passwd', 'file:///etc/passwd?x=1', 'file:///etc/passwd#x', 'file:/./etc/passwd',
  'file:///%65tc/passwd', 'file:///x/%2e%2e/etc/passwd', 'file:///x/..%2fetc/passwd', 'file:///etc%2Fpasswd', '/%65tc/passwd', '/etc%2fpasswd', '%2fetc%2fpasswd', '%252fetc%252fpasswd',
  '/ETC/passwd', '/Etc/PASSWD', '/etc./passwd', '/etc/passwd.', '/etc /passwd', '/etc../passwd', '/etc/passwd::$DATA', '/etc:x/passwd',
  '\\etc\\passwd', '/etc\\passwd', '\\\\?\\etc\\passwd', '/x\\..\\etc/passwd', ' /etc/passwd', '/etc/passwd ', '\t/etc/passwd', '/etc/passwd\n', '/e\ttc/passwd', '/etc/passwd\u0000.png', 'fi\nle:///etc/passwd',
  '~/../../etc/passwd', '~root/x', '$HOME/../etc/passwd', '${X}/etc/passwd', '%SystemRoot%/etc/passwd', '／etc／passwd', '/ｅtc/passwd', '/etc／passwd',
  '/proc/self/root/etc/passwd', '/proc/1/root/etc/passwd', '/dev/fd/3', 'view-source:file:///etc/passwd', 'url:/etc/passwd', 'file:file:///etc/passwd', 'file:///file:/etc/passwd', 'x'.repeat(10_000), '/ETC~1/passwd',
  '%25252525252525252fetc', '/e\u200ctc/passwd', '/etc\ufeff/passwd', '/\u202eetc/passwd', '/e\u00adtc/passwd',
];

test('fence: no spelling of a path passes a rule that denies it', async () => {
  for (const path of spellings) assert.equal(await decide(etc, path), 'deny', JSON.stringify(path.slice(0, 100)));
  for (const path of [['/home/a', '../etc/passwd'], [['/etc/passwd']], { uri: '/etc/passwd' }, [{}]]) assert.equal(await decide(etc, path), 'deny', JSON.stringify(path));
  // A rule with `ask` is a fence too.
  for (const path of spellings) assert.equal(await decide([{ args: { path: '/etc/**' }, then: 'ask' }, { then: 'allow' }], path), 'ask', JSON.stringify(path.slice(0, 100)));
});

test('fence: what is elsewhere for every reader passes', async () => {
  for (const path of [
    '/home/ada/notes.md', '/etcetera/x', '/home/etc/passwd', 'file:///home/ada/a%20b', '/home/100%', '/home/a b', '/home/é', 'https://example.com/etc/passwd', 5, true, null, '/etc-old/x',
  ]) assert.equal(await decide(etc, path), 'allow', JSON.stringify(path));
  assert.equal(await decide([{ args: { path: 'secret/**' }, then: 'deny' }, { then: 'allow' }], 'open/a'), 'allow');
});

test('fence: a pattern in another form is the same fence', async () => {
  for (const pattern of ['file:///etc/**', 'FILE://localhost/etc/**', '/etc/./**', '//etc//**', '/x/../etc/**', 'file:///%65tc/**']) {
    const rules: Rule[] = [{ args: { path: pattern }, then: 'deny' }, { then: 'allow' }];
    for (const path of ['/etc/passwd', 'file:/etc/passwd', '/ETC/passwd']) assert.equal(await decide(rules, path), 'deny', `${pattern} ${path}`);
    assert.equal(await decide(rules, '/home/x'), 'allow', pattern);
  }
  assert.throws(() => readRules([{ then: 'deny', args: { path: '~/.ssh/**' } }]), { code: 'bad-config', message: /rules\[0\]\.args\.path is invalid, .*not "~"/ });
  for (const args of [{ path: '~/.ssh/**' }, { path: '~root/x' }, { deep: { path: '~/**' } }]) {
    await assert.rejects(decide([{ args, then: 'deny' }], '/home/x'), { code: 'invalid_option' });
  }
});

test('fence: a drive is denied by every name that Windows has for it on this machine', async () => {
  const rules: Rule[] = [{ args: { path: 'C:/secret/**' }, then: 'deny' }, { then: 'allow' }];
  for (const path of [
    'C:/secret/x', 'c:\\secret\\x', '\\\\?\\C:\\secret\\x', '\\\\.\\C:\\secret\\x', '\\??\\C:\\secret\\x', '//?/C:/secret/x', '//./c:/secret/x', '/??/C:/secret/x', '//?/C:/open/../secret/x', '/C:/secret/x',
    'file:///C:/secret/x', 'file:////?/C:/secret/x', 'file:////./C:/secret/x', 'file:///c|/secret/x', 'file:C:/secret/x', '%2f%2f%3f/C:/secret/x',
  ]) {
    for (const resolver of [undefined, async (one: string) => one]) assert.equal(await decide(rules, path, resolver), 'deny', path);
    assert.equal(await decide([{ args: { path: '//?/**' }, then: 'allow' }, { args: { path: '/**' }, then: 'allow' }], path), 'ask', path);
  }
  for (const path of ['C:/open/x', 'D:/secret/x', 'file:///D:/secret/x']) assert.equal(await decide(rules, path), 'allow', path);
  // Only the program that resolves the path knows the drive.
  assert.equal(await decide(rules, '/secret/x'), 'deny');
  assert.equal(await decide([{ args: { path: '/secret/**' }, then: 'deny' }, { then: 'allow' }], 'C:/secret/x'), 'deny');
  for (const [drive, verdict] of [['C:', 'deny'], ['D:', 'allow']] as const) assert.equal(await decide(rules, '/secret/x', async (one) => (one.startsWith('/') ? `${drive}${one}` : one)), verdict);
});

test('fence: a pattern with backslashes is a path', async () => {
  const rules: Rule[] = [{ args: { path: 'C:\\secret\\**' }, then: 'deny' }, { then: 'allow' }];
  for (const path of ['C:\\secret\\x', 'c:/secret/x', 'C:\\SECRET\\x', 'file:///C:/secret/x']) assert.equal(await decide(rules, path), 'deny', path);
});

test('fence: what the system names otherwise for each process is denied, also where links are followed', async () => {
  const rules: Rule[] = [{ args: { path: '/home/ada/secret/**' }, then: 'deny' }, { then: 'allow' }];
  const asItIs: ResolvePath = async (path) => path;
  for (const path of ['/proc/self/cwd/secret/x', '/proc/1/root/x', '/dev/fd/3']) assert.equal(await decide(rules, path, asItIs), 'deny', path);
  assert.equal(await decide(rules, '/home/ada/open', asItIs), 'allow');
});

test('fence: URLs of the web, as browsers read them', async () => {
  const rules: Rule[] = [{ args: { path: 'https://intra.example/admin/**' }, then: 'deny' }, { then: 'allow' }];
  for (const url of [
    'https://intra.example/admin/x', 'HTTPS://INTRA.example/admin/x', 'https:intra.example/admin', 'https:/intra.example/admin', 'https:\\\\intra.example\\admin', 'https://intra.example:443/admin/x',
    'https://intra.example:8443/admin/x', 'https://intra.example./admin/x', 'https://user:pw@intra.example/admin/x', 'https://intra.example/x/../admin/y', 'https://intra.example/%61dmin/x', 'https://intra.example/%2561dmin/x',
    'https://intra.example//admin/x', 'https://intra.example/ADMIN/x', 'https://intra.example/admin?x', 'https://intra.example/x/%2e%2e/admin', 'ht\ntps://intra.example/admin/x', ' https://intra.example/admin/x',
    'intra.example/admin/x', '//intra.example/admin', '/admin/x',
  ]) assert.equal(await decide(rules, url), 'deny', url);
  for (const url of ['https://intra.example/public', 'https://other.example/admin/x', 'http://example.com/']) assert.equal(await decide(rules, url), 'allow', url);
  const allow: Rule[] = [{ args: { path: 'https://good.example/api/**' }, then: 'allow' }];
  assert.equal(await decide(allow, 'https://good.example/api/x?y=1'), 'allow');
  for (const url of [
    'https://good.example@evil.example/api/x', 'https://evil.example/https://good.example/api/x', 'https://good.example:8443/api/x', 'https://user@good.example/api/x', 'https://good.example/api/../x', 'https://good.example/api/%2e%2e/x',
    'https://good.example.evil.example/api/x', 'http://good.example/api/x', 'good.example/api/x', 'https:\\\\good.example\\api\\x',
  ]) assert.equal(await decide(allow, url), 'ask', url);
});

/** A tree with a secret, links to it, and links whose `..` is not the folder that the path suggests. */
function tree(t: { after(run: () => void): void }): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'barewire-fence-')));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of ['secret/sub', 'open/sub', 'other']) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'secret/passwd'), 'SECRET');
  for (const file of ['open/a.txt', 'open/passwd', 'open/sub/b.txt', 'other/passwd', 'passwd']) writeFileSync(join(root, file), 'open');
  symlinkSync(join(root, 'secret'), join(root, 'open/dir'));
  symlinkSync('../secret/sub', join(root, 'open/link'));
  symlinkSync('../secret/passwd', join(root, 'open/file'));
  symlinkSync('../other', join(root, 'open/fine'));
  symlinkSync(join(root, 'secret'), join(root, 'alias'));
  return root;
}

const plain = (name: string): string => name.normalize('NFKC').toLowerCase().replace(/[. ]{1,50}$/, '');

/** The entries of a folder by their plain names; undefined: it is no folder. Listed once, because no test here changes one that was listed. */
const listed = new Map<string, ReadonlyMap<string, string> | undefined>();
function entriesOf(folder: string): ReadonlyMap<string, string> | undefined {
  if (listed.has(folder)) return listed.get(folder);
  let entries: Map<string, string> | undefined;
  try {
    // Of names that are the same, the first.
    entries = new Map(readdirSync(folder).reverse().map((name) => [plain(name), name]));
  } catch {
    // It is no folder, or is missing.
  }
  listed.set(folder, entries);
  return entries;
}

/** Resolves a path as a file system that ignores case and dots at the end of names. */
function loosely(path: string): string {
  let at = '/';
  for (const segment of path.split('/').filter((one) => one !== '')) {
    if (segment === '.' || segment === '..') at = resolve(at, segment);
    else {
      const entries = entriesOf(at);
      if (entries === undefined) return path;
      at = `${at}/${entries.get(plain(segment.split(':')[0] ?? '')) ?? segment}`;
      try {
        at = realpathSync(at);
      } catch {
        // A missing file is not read.
      }
    }
  }
  return at;
}

/** The ways in which programs turn a text into a path; each is used by some program. */
const steps: readonly ((text: string) => string)[] = [
  (text) => decodeURIComponent(text), (text) => text.trim(), (text) => text.replaceAll('\\', '/'), (text) => text.replace(/^file:\/\//i, ''), (text) => text.replace(/^file:\/*/i, '/'),
  (text) => fileURLToPath(new URL(text)), (text) => text.split('\0')[0] ?? '', (text) => text.replace(/[?#].*$/s, ''), (text) => text.replace(/[\t\n\r]/g, ''), (text) => text.normalize('NFKC'),
  (text) => new URL(text, 'file:///').pathname, (text) => text.replace(/^\w+:/, ''), (text) => decodeURIComponent(text),
];

/**
 * Whether a program that reads the text as a path from this folder can reach the secret. `loose`: also on a case-insensitive file system.
 * Without links only, because this machine has no resolver for such a system.
 */
function reaches(text: string, cwd: string, loose: boolean, random: () => number): boolean {
  for (let tries = 0; tries < 12; tries++) {
    let path = text;
    try {
      const count = tries === 0 ? 0 : Math.floor(random() * 4);
      for (let i = 0; i < count; i++) path = steps[Math.floor(random() * steps.length)]?.(path) ?? path;
      const physical = path.startsWith('/') ? path : `${cwd}/${path}`;
      for (const one of [physical, resolve(cwd, path), ...loose ? [loosely(physical)] : []]) {
        try {
          if (readFileSync(one, 'utf8') === 'SECRET') return true;
        } catch {
          // This program finds nothing.
        }
      }
    } catch {
      // This program refuses the text.
    }
  }
  return false;
}

function spelling(root: string, random: () => number, links: boolean): string {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const real = ['secret/passwd', 'open/../secret/passwd', 'open/a.txt', 'secret/sub/../passwd', 'open/sub/../../secret/passwd', 'other/passwd'];
  const linked = ['open/dir/passwd', 'open/link/../passwd', 'open/file', 'alias/passwd', 'open/fine/../secret/passwd', 'open/fine/passwd', 'open/link/../../open/file'];
  let text = `${root}/${pick(links ? [...real, ...linked] : real)}`;
  if (random() < 0.4) text = text.replace(`${root}/open/`, '').replace(`${root}/`, '../');
  const changes: ((text: string) => string)[] = [
    (one) => one.replace('/', '//'), (one) => one.replace('/s', '/./s'), (one) => one.replaceAll('/', '\\'), (one) => `file://${one}`, (one) => `file:${one}`, (one) => `FILE://LocalHost${one}`,
    (one) => `file:///${one}`, (one) => one.toUpperCase(), (one) => one.replace('passwd', 'PassWD'), (one) => `${one}.`, (one) => one.replace('secret', 'secret.'), (one) => ` ${one}`, (one) => `${one}\n`,
    (one) => `${one}\0.png`, (one) => `${one}?x`, (one) => `${one}#x`, (one) => [...one].map((char) => (random() < 0.2 && char < '\x7f' ? `%${char.charCodeAt(0).toString(16)}` : char)).join(''),
    (one) => encodeURIComponent(one), (one) => one.replace('s', '\t s'), (one) => one.replace('secret', 'ｓecret'), (one) => one.replace('/', '/sub/../'), (one) => one.replace('passwd', 'passwd::$DATA'),
  ];
  for (let i = Math.floor(random() * 4); i > 0; i--) text = pick(changes)(text);
  return text;
}

for (const links of [true, false]) {
  test(`fence: what any reader finds the secret by is denied, and never allowed${links ? '' : ', where links cannot be followed and there are none'}`, async (t) => {
    const root = tree(t);
    const cwd = `${root}/open`;
    const resolver: ResolvePath | undefined = links ? (path) => resolvePath(path.startsWith('/') ? path : `${cwd}/${path}`, 's') : undefined;
    // Also deny through a link, so that the pattern must be resolved as well.
    const denied = links ? ['secret', 'alias'] : ['secret'];
    let [reached, passed] = [0, 0];
    for (let seed = 1; seed <= 4_000; seed += everyNth(16)) {
      const random = randomOf(seed);
      const text = spelling(root, random, links);
      const finds = reaches(text, cwd, !links, random);
      for (const folder of denied) {
        const verdict = await decide([{ args: { path: `${root}/${folder}/**` }, then: 'deny' }, { then: 'allow' }], text, resolver);
        if (finds) assert.equal(verdict, 'deny', `seed ${seed}: ${JSON.stringify(text)} past ${folder}`);
        else if (verdict === 'allow') passed++;
      }
      if (finds) reached++;
      const allowed = await decide([{ args: { path: `${root}/open/**` }, then: 'allow' }], text, resolver);
      if (finds) assert.equal(allowed, 'ask', `seed ${seed}: ${JSON.stringify(text)} was allowed`);
    }
    const share = everyNth(16);
    assert.ok(reached > 1_000 / share && passed > 100 / share, `${reached} spellings found it, ${passed} passed`);
  });
}

test('fence: a host resolves what is relative from where the program of the server runs', async (t) => {
  const root = tree(t);
  const server = new McpServer({ name: 's', version: '1.0.0' });
  server.tool('read', { input: { type: 'object', properties: { path: { type: 'string' } } } }, () => 'read');
  const host = new Host({
    info: { name: 'host', version: '1.0.0' }, servers: { s: { command: 's', cwd: `${root}/open` }, far: { url: 'https://example.com/mcp' } },
    transport: () => memoryTransport(server), resolvePath,
    rules: [{ args: { path: `${root}/secret/**` }, then: 'deny' }, { then: 'allow' }],
  });
  t.after(() => host.close());
  for (const path of ['../secret/passwd', 'file', 'dir/passwd', 'link/../passwd', './sub/../file']) await assert.rejects(host.call('s/read', { path }), { code: 'refused' }, path);
  for (const path of ['a.txt', 'sub/b.txt', 'sub/../a.txt', 'fine/passwd', 'new/file']) await host.call('s/read', { path });
  // The working folder of a remote server is unknown.
  await assert.rejects(host.call('far/read', { path: 'a.txt' }), { code: 'refused' });
  await host.call('far/read', { path: `${root}/open/a.txt` });
});

test('fence: a link to what does not exist yet leads where it leads', async (t) => {
  const root = tree(t);
  symlinkSync('../secret/new', join(root, 'open/later'));
  symlinkSync('round', join(root, 'open/round'));
  assert.equal(await resolvePath(join(root, 'open/later'), 's'), join(root, 'secret/new'));
  assert.equal(await resolvePath(join(root, 'open/later/deep/file'), 's'), join(root, 'secret/new/deep/file'));
  assert.equal(await resolvePath(join(root, 'open/round'), 's'), undefined);
  assert.equal(await resolvePath(`${root}/open/link/../passwd`, 's'), join(root, 'secret/passwd'));
  assert.equal(await resolvePath('x\0y', 's'), undefined);
});
