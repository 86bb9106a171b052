import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, createServer as createPipe } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fetchHandler, httpTransport as fetchTransport } from '../../../src/transport/http/fetch/index.ts';
import { httpListener, httpTransport } from '../../../src/transport/http/node/index.ts';
import { memoryTransport } from '../../../src/transport/memory.ts';
import { messagePortTransport, serveMessagePort } from '../../../src/transport/message-port.ts';
import type { MessagePortLike } from '../../../src/transport/message-port.ts';
import { frames, lines, serialTransport, serveSerial } from '../../../src/transport/serial/index.ts';
import type { SerialChannel, SerialFraming } from '../../../src/transport/serial/index.ts';
import { serveSocket, socketTransport } from '../../../src/transport/socket/node/index.ts';
import { serveStdio, stdioTransport } from '../../../src/transport/stdio/index.ts';
import type { OpenTransport } from '../../../src/transport/testing/index.ts';

/** Splits bytes into pieces of `size`. */
export function* pieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export const memory: OpenTransport = async (server) => {
  const client = memoryTransport(server);
  // A server in memory has no listener to close: close its peers, and call their `onSilent`.
  const peers: ((why: string) => void)[] = [];
  const connect = server.connect.bind(server);
  server.connect = (outlet, options) => {
    if (options?.onSilent) peers.push(options.onSilent);
    const peer = connect(outlet, options);
    peers.push((why) => peer.close(why));
    return peer;
  };
  return { client, closeServer: () => peers.splice(0).forEach((end) => end('the server was closed')) };
};

export const messagePorts: OpenTransport = async (server) => {
  const { port1, port2 } = new MessageChannel();
  const serving = serveMessagePort(server, port1 as MessagePortLike);
  return {
    client: messagePortTransport(port2 as MessagePortLike),
    closeServer: () => serving.close(),
    release: () => {
      port1.close();
      port2.close();
    },
  };
};

/** An in-memory byte channel. It delivers in later turns of the event loop. `hold` stops the bytes to the second end. */
export function byteChannel(cutEvery?: number): { ends: readonly [SerialChannel, SerialChannel]; hold(on: boolean): void; put(end: 0 | 1, bytes: Uint8Array): void } {
  const readers: { data(bytes: Uint8Array): void; closed(): void }[] = [];
  const queues: Uint8Array[][] = [[], []];
  const closed = [false, false];
  let resume: (() => void)[] = [];
  let held = false;
  const busy = [false, false];
  const go = (to: 0 | 1): void => {
    if (busy[to] || (held && to === 1)) return;
    if (queues[to]?.length === 0) return;
    busy[to] = true;
    setImmediate(() => {
      busy[to] = false;
      // As with a socket, bytes written since the last delivery arrive together.
      const bytes = Buffer.concat(queues[to]?.splice(0) ?? []);
      for (const piece of cutEvery ? pieces(bytes, cutEvery) : [bytes]) if (!closed[to]) readers[to]?.data(piece);
      go(to);
    });
  };
  const put = (to: 0 | 1, bytes: Uint8Array): Promise<void> | void => {
    queues[to]?.push(bytes.slice());
    go(to);
    if (held && to === 1) return new Promise((resolve) => resume.push(resolve));
  };
  const end = (own: 0 | 1, other: 0 | 1): SerialChannel => ({
    write: (bytes) => put(other, bytes),
    read: (data, over) => void (readers[own] = { data, closed: over }),
    close() {
      if (closed[own]) return;
      closed[own] = true;
      // Bytes that were written earlier are delivered first.
      const tell = (): void => void (busy[other] || (queues[other]?.length && !held) ? setImmediate(tell) : closed[other] || readers[other]?.closed());
      setImmediate(tell);
    },
  });
  return {
    ends: [end(0, 1), end(1, 0)],
    put: (to, bytes) => void put(to, bytes),
    hold(on) {
      held = on;
      if (on) return;
      for (const go of resume) go();
      resume = [];
      go(1);
    },
  };
}

export const serial = (framing: SerialFraming): OpenTransport => async (server, { maxMessageBytes = 16_777_216, cutEvery }) => {
  const { ends: [front, back], hold, put } = byteChannel(cutEvery);
  const options = { framing, maxMessageBytes, maxWaitingBytes: 16_777_216 };
  const serving = serveSerial(server, front, options);
  const { reopen, ...whole } = serialTransport(back, options);
  return {
    // A channel of lines has one session for its lifetime.
    client: framing === lines || !reopen ? whole : { ...whole, reopen },
    closeServer: () => serving.close(),
    maxMessageBytes,
    ...framing === lines && {
      hold,
      raw: { toServer: (bytes: Uint8Array) => put(0, bytes), toClient: (bytes: Uint8Array) => put(1, bytes) },
    },
  };
};

export const serialLines: OpenTransport = serial(lines);
export const serialFrames: OpenTransport = serial(frames({ mtu: 256 }));

/** A program that passes bytes, in pieces, between its standard streams and a server in this process. */
const relay = `
  const socket = require('node:net').connect(process.argv[1]);
  const every = Number(process.argv[2]);
  process.stdin.on('data', (bytes) => {
    for (let at = 0; at < bytes.length; at += every) socket.write(bytes.subarray(at, at + every));
  }).on('end', () => socket.end());
  socket.on('data', (bytes) => {
    for (let at = 0; at < bytes.length; at += every) process.stdout.write(bytes.subarray(at, at + every));
  }).on('end', () => process.exit()).on('error', () => process.exit(1));
`;

export const stdio: OpenTransport = async (server, { maxMessageBytes = 16_777_216, cutEvery = 1e9 }) => {
  const folder = mkdtempSync(join(tmpdir(), 'barewire-kit-'));
  const path = join(folder, 's');
  const [up, down] = [new PassThrough(), new PassThrough()];
  const serving = serveStdio(server, { stdin: up, stdout: down, maxMessageBytes });
  const listener = createPipe({ allowHalfOpen: true }, (socket) => {
    // A client that reopens starts another program, which gets no new server here.
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => up.write(bytes)).on('end', () => up.end()).on('close', () => up.end());
    down.on('data', (bytes) => socket.write(bytes));
    void serving.closed.then(() => setImmediate(() => socket.end()));
  }).listen(path);
  await once(listener, 'listening');
  const { reopen, ...client } = stdioTransport(process.execPath, ['-e', relay, path, String(cutEvery)], { maxMessageBytes });
  return {
    client,
    closeServer: () => serving.close(),
    maxMessageBytes,
    raw: { toServer: (bytes) => void up.write(bytes), toClient: (bytes) => void down.write(bytes) },
    hold: (on) => void (on ? down.pause() : down.resume()),
    release: () => {
      listener.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** A proxy between a client and a listener. It cuts the bytes into pieces, can insert bytes, and can stop the bytes to the client. */
export async function proxied(to: string | number, at: string | number, cutEvery?: number): Promise<{ hold(on: boolean): void; toServer(bytes: Uint8Array): void; toClient(bytes: Uint8Array): void; close(): void }> {
  const open = new Set<readonly [Socket, Socket]>();
  const pass = (from: Socket, into: Socket): void => {
    from.on('data', (bytes: Buffer) => {
      for (const piece of cutEvery ? pieces(bytes, cutEvery) : [bytes]) if (!into.write(piece)) from.pause();
    });
    into.on('drain', () => from.resume());
    from.on('end', () => into.end()).on('error', () => into.destroy());
    from.on('close', () => into.destroySoon());
  };
  const server = createPipe({ allowHalfOpen: true }, (client) => {
    const upstream = typeof to === 'string' ? connect({ path: to, allowHalfOpen: true }) : connect({ port: to, host: '127.0.0.1', allowHalfOpen: true });
    const pair = [client, upstream] as const;
    open.add(pair);
    client.on('close', () => open.delete(pair));
    if (cutEvery) for (const socket of pair) socket.setNoDelay(true);
    pass(client, upstream);
    pass(upstream, client);
  });
  server.listen(typeof at === 'string' ? at : { port: at, host: '127.0.0.1' });
  await once(server, 'listening');
  return {
    hold: (on) => {
      for (const [, upstream] of open) if (on) upstream.pause();
      else upstream.resume();
    },
    toServer: (bytes) => {
      for (const [, upstream] of open) upstream.write(bytes);
    },
    toClient: (bytes) => {
      for (const [client] of open) client.write(bytes);
    },
    close: () => {
      server.close();
      for (const [client, upstream] of open) {
        client.destroy();
        upstream.destroy();
      }
    },
  };
}

export const unixSocket: OpenTransport = async (server, { maxMessageBytes = 16_777_216, cutEvery }) => {
  const folder = mkdtempSync(join(tmpdir(), 'barewire-kit-'));
  const path = join(folder, 's');
  const serving = await serveSocket(server, path, { maxMessageBytes });
  const between = join(folder, 'p');
  const proxy = await proxied(path, between, cutEvery);
  return {
    client: socketTransport(between, { maxMessageBytes, graceMs: 500 }),
    closeServer: () => serving.close(),
    maxMessageBytes,
    hold: proxy.hold,
    raw: { toServer: proxy.toServer, toClient: proxy.toClient },
    release: () => {
      proxy.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

export const nodeHttp: OpenTransport = async (server, { maxMessageBytes = 16_777_216, cutEvery }) => {
  const listener = httpListener(server, { limits: { maxBodyBytes: maxMessageBytes } });
  const http = createServer(listener);
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const proxy = cutEvery ? await proxiedPort(port, cutEvery) : undefined;
  return {
    client: httpTransport(`http://127.0.0.1:${proxy?.port ?? port}/mcp`, { limits: { maxMessageBytes, reconnectAttempts: 0 } }),
    closeServer: async () => {
      await listener.close({ drainMs: 0 });
      http.closeAllConnections();
      http.close();
    },
    maxMessageBytes,
    release: () => proxy?.close(),
  };
};

async function proxiedPort(to: number, cutEvery: number): Promise<{ port: number; close(): void }> {
  const free = createPipe().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  free.close();
  await once(free, 'close');
  const proxy = await proxied(to, port, cutEvery);
  return { port, close: proxy.close };
}

export const fetchHttp: OpenTransport = async (server, { maxMessageBytes = 16_777_216 }) => {
  const handler = fetchHandler(server, { limits: { maxBodyBytes: maxMessageBytes } });
  return {
    client: fetchTransport('http://127.0.0.1/mcp', {
      limits: { maxMessageBytes, reconnectAttempts: 0 },
      fetch: (url: string | URL | Request, init?: RequestInit) => handler(new Request(url, init)),
    }),
    closeServer: () => handler.close({ drainMs: 0 }),
    maxMessageBytes,
  };
};
