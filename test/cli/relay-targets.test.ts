import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect, createServer as createNetServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { httpRelay } from '../../src/cli/http-relay.ts';
import { everyNth } from '../every-nth.ts';
import { randomOf } from '../random.ts';

// The relay of trace and record adds the user's credentials to the requests that it forwards. So each request must go to the origin of its
// target or be refused, and the process must survive.

interface Bench {
  readonly port: number;
  /** Sends this request target unchanged. Resolves with the status, or 0 if the connection was closed. */
  ask(target: string, head?: string): Promise<number>;
  /** The requests that the target received since the last call: request target and Host. */
  taken(): { url: string; host: string; authorization: string | undefined }[];
  readonly targetPort: number;
}

async function listening(t: TestContext, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => (server.close(), server.closeAllConnections()));
  return (server.address() as AddressInfo).port;
}

async function bench(t: TestContext): Promise<Bench> {
  let seen: { url: string; host: string; authorization: string | undefined }[] = [];
  const targetPort = await listening(t, createServer(({ url = '', headers }, response) => {
    seen.push({ url, host: headers.host ?? '', authorization: headers.authorization });
    response.end('here');
  }));
  const relay = await httpRelay({
    target: new URL(`http://127.0.0.1:${targetPort}/mcp?own=1`), port: 0, headers: { Authorization: 'Bearer hunter2' }, trace: () => {}, onEnd: () => {},
  });
  t.after(() => relay.close());
  const port = Number(new URL(relay.url).port);
  return {
    port, targetPort,
    taken() {
      const now = seen;
      seen = [];
      return now;
    },
    ask: (target, head = `Host: 127.0.0.1:${port}\r\n`) => new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(`GET ${target} HTTP/1.1\r\n${head}Connection: close\r\n\r\n`, 'latin1')));
      let text = '';
      socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk)).on('end', () => resolve(Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? 0)));
      socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? resolve(0) : reject(error)));
    }),
  };
}

/** A foreign server: each connection to it is a fault. */
async function attacker(t: TestContext): Promise<{ readonly port: number; visits(): number }> {
  let visits = 0;
  const server = createNetServer((socket) => {
    visits++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, visits: () => visits };
}

/** Ways to name another host in a request target. */
function astray(host: string): string[] {
  const user = ['', 'user:password@', '127.0.0.1:80@', '%zz@'];
  const before = ['//', '///', '////', '/\\', '\\\\', '\\/', '\\', 'http://', 'HTTP://', 'https://', 'http:', 'http:/', 'http:\\\\', 'http:///', '/http://', 'ftp://', 'file://', 'javascript:', '@', '/@', ':@',
    '/./', '/../', '/..//', '/.//', '/%2f', '/%2F%2F', '//%2f', '/%5c', '/%09/', '/%0d%0a//', '/;//', '/x//', '*', '?//', '#//', '/?//', '/#//', '//?@', '//#@', '/ /', '\t//', '//\u00e9@'];
  const behind = ['', '/x', '/%zz', '\\x', '?x', '#x', ':80/..'];
  return before.flatMap((start) => user.flatMap((name) => behind.map((end) => `${start}${name}${host}${end}`)));
}

/** Pieces for random request targets. */
const pieces = (hosts: readonly string[]): string[] => [...hosts, ...hosts, '/', '/', '//', '\\', '@', ':', '?', '#', '%', '%2f', '%2F', '%5c', '%zz', '%00', '%0a', '%0d%0a', '.', '..', ';', '*', '&', '=', '[', ']', '[::1]', '[fe80::1%25lo]',
  '127.0.0.1', '0', '65536', '-1', 'http:', 'https:', 'ws:', 'data:', 'mcp', ' ', '\t', '\x01', '\x7f', '\x00', '\u00e9', '\u00ff', '\u00a0', '{', '}', '|', '^', '`', '"', '<', '>', '__proto__'];

test('relay: whatever is asked, what leaves goes to the origin of the target, or is refused', async (t) => {
  const { ask, taken, targetPort } = await bench(t);
  const other = await attacker(t);
  const hosts = [`127.0.0.1:${other.port}`, `localhost:${other.port}`, `[::ffff:127.0.0.1]:${other.port}`, 'attacker.invalid'];
  const random = randomOf(20_261);
  const made = pieces(hosts);
  const drawn = Array.from({ length: 3_000 }, () => Array.from({ length: 1 + Math.floor(random() * 7) }, () => made[Math.floor(random() * made.length)] ?? '').join(''));
  const all = [...hosts.flatMap(astray), ...drawn];
  const step = everyNth(30);
  let [passed, refused] = [0, 0];
  const tried = all.filter((_, i) => i % step === 0);
  for (let at = 0; at < tried.length; at += 20) {
    await Promise.all(tried.slice(at, at + 20).map(async (target) => {
      const status = await ask(target);
      // 502 would mean that the request was sent to an address where nothing listens.
      assert.ok([200, 400, 403, 0].includes(status), `${JSON.stringify(target)} got ${status}`);
      if (status === 200) passed++;
      else refused++;
    }));
    for (const { url, host, authorization } of taken()) {
      assert.deepEqual([host, authorization], [`127.0.0.1:${targetPort}`, 'Bearer hunter2']);
      assert.ok(tried.slice(at, at + 20).some((target) => target.includes(url)), `${JSON.stringify(url)} was not asked for`);
      assert.match(url, /^\//);
    }
    assert.equal(other.visits(), 0, tried.slice(at, at + 20).map((target) => JSON.stringify(target)).join('\n'));
  }
  assert.ok(passed > 1_200 / step && refused > 1_200 / step, `${passed} were passed on, ${refused} refused`);
  assert.equal(await ask('/still/here?a=b%zz'), 200);
  assert.deepEqual(taken().map(({ url }) => url), ['/still/here?a=b%zz']);
});

test('relay: another host in the target is refused with the reason, and CONNECT leads nowhere', async (t) => {
  const { ask, taken, port } = await bench(t);
  const text = await fetch(`http://127.0.0.1:${port}/mcp`).then((answer) => answer.text());
  assert.equal(text, 'here');
  assert.equal(taken().length, 1);
  assert.equal(await ask(`http://127.0.0.1:${port}/mcp`), 400);
  assert.equal(await ask('*'), 400);
  const closed = await new Promise<string>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`));
    let heard = '';
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString())).on('close', () => resolve(heard)).on('error', () => {});
  });
  assert.equal(closed, '');
  assert.deepEqual(taken(), []);
});

test('relay: fields of one connection, and those that Connection names, are not passed on', async (t) => {
  let got: NodeJS.Dict<string | string[]> = {};
  const target = await listening(t, createServer(({ headers }, response) => {
    got = headers;
    response.writeHead(200, { connection: 'x-hop', 'x-hop': 'no', 'x-kept': 'yes', 'set-cookie': ['a=1', 'b=2'] }).end();
  }));
  const relay = await httpRelay({ target: new URL(`http://127.0.0.1:${target}/`), port: 0, headers: { 'X-Own': 'mine' }, trace: () => {}, onEnd: () => {} });
  t.after(() => relay.close());
  const { port } = new URL(relay.url);
  const heard = await new Promise<string>((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close, X-Secret\r\nX-Secret: s\r\nTE: trailers\r\n__proto__: odd\r\nX-Own: theirs\r\nX-Kept: k\r\n\r\n`));
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('end', () => resolve(text));
  });
  assert.deepEqual([got['x-secret'], got['te'], got['x-own'], got['x-kept'], got['host']], [undefined, undefined, 'mine', 'k', `127.0.0.1:${target}`]);
  assert.match(heard, /^HTTP\/1\.1 200 [^]*x-kept: yes/);
  assert.match(heard, /set-cookie: a=1\r\nset-cookie: b=2/);
  assert.doesNotMatch(heard, /x-hop/);
});

test('relay: an answer that cannot be passed on is a 502, and the process lives', async (t) => {
  const answers = [
    'HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n', 'HTTP/1.1 000 Odd\r\ncontent-length: 0\r\n\r\n', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    'HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n', 'nonsense\r\n\r\n', '', 'HTTP/1.1 200 OK\r\nx: a\x01b\r\ncontent-length: 0\r\n\r\n', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
    'HTTP/1.1 200 OK\r\n__proto__: x\r\nconstructor: y\r\ncontent-length: 0\r\n\r\n', 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: \xff\xfe\n\nid: \x00\n\n',
    'HTTP/1.1 302 Found\r\nlocation: //evil.example/\r\ncontent-length: 0\r\n\r\n', 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{x',
  ];
  for (const answer of answers) {
    const server = createNetServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(Buffer.from(answer, 'latin1')));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const ends: string[] = [];
    const relay = await httpRelay({
      target: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`), port: 0, headers: {}, trace: () => {},
      onEnd: (_exchange, how) => void ends.push(how),
    });
    t.after(() => relay.close());
    const heard = await fetch(relay.url, { method: 'POST', body: '{}', redirect: 'manual' }).then(async (got) => {
      await got.text().catch(() => {});
      return got.status;
    });
    assert.ok([502, 999, 200, 302].includes(heard), `${JSON.stringify(answer)}: ${heard}`);
    if (/^HTTP\/1\.1 (099|000|101)/.test(answer)) assert.equal(heard, 502, answer);
  }
});

test('relay: a target or a field that cannot be sent is a 502, and the process lives', async (t) => {
  const hostile: [string, Record<string, string>][] = [['http://%zz:x@127.0.0.1:9/mcp', {}], ['http://127.0.0.1:9/mcp', { 'x y': 'z' }], ['http://127.0.0.1:9/mcp', { x: 'a\r\nb: c' }], ['http://127.0.0.1:9/', { 'content-length': 'x' }]];
  for (const [address, headers] of hostile) {
    const relay = await httpRelay({ target: new URL(address), port: 0, headers, trace: () => {}, onEnd: () => {} });
    t.after(() => relay.close());
    assert.equal((await fetch(`http://127.0.0.1:${new URL(relay.url).port}/mcp`)).status, 502, address + JSON.stringify(headers));
  }
});
