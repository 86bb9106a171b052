import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import type { GaugedPeer } from '../../../bounds/gauges.ts';
import { checkOptions } from '../../../bounds/options.ts';
import { toError } from '../../../jsonrpc/errors.ts';
import { serveStdio } from '../../stdio/serve.ts';
import type { StdioServing } from '../../stdio/serve.ts';
import type { Trace } from '../../trace.ts';
import type { ServerPort } from '../../server-port.ts';
import { checkMade, checkPath, isPipe, makeWay } from './socket-path.ts';

/** What `serveSocket` may be given. */
export interface ServeSocketOptions {
  /** Sees each message of every client as it passes: `received` is what a client said. */
  readonly trace?: Trace | undefined;
  /** Bytes of one message; a longer one is refused. 16 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** Bytes that may come without a message among them, each line counted as 100 more; then the connection is closed. 256 MiB. */
  readonly maxNoiseBytes?: number | undefined;
  /** Milliseconds that requests in flight may go on once their client has ended its side; then they are aborted. 5000. */
  readonly drainMs?: number | undefined;
  /** Connections at once; further ones are closed. 100. */
  readonly maxConnections?: number | undefined;
  /** Told what went wrong that no client can be told. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** A server that listens on a Unix socket or a named pipe. */
export interface SocketServer {
  readonly path: string;
  /** Connections that are open. */
  readonly connections: number;
  /** Takes no new connection, ends every session, and removes the file. */
  close(): Promise<void>;
  /** For `gauges`: the clients. */
  readonly peers: () => Iterable<GaugedPeer>;
}

/**
 * Serves a server on a Unix socket, or on a named pipe of Windows: lines as over stdio, each connection a client. Whoever may open the
 * file is let in, so it has mode 600: only this user, and root. A stale socket of this user at the path is replaced; anything else there is
 * refused, and so is a folder in which others can replace files. Not for a worker thread, which cannot set the mode from the
 * beginning.
 */
export async function serveSocket(server: ServerPort, path: string, options: ServeSocketOptions = {}): Promise<SocketServer> {
  checkOptions('serveSocket: path', path, 'string');
  checkOptions('serveSocket: options', options, {
    trace: 'function', maxMessageBytes: 0, maxNoiseBytes: 0, drainMs: 0, maxConnections: 0, onError: 'function',
  });
  checkPath('serveSocket', path);
  const { trace, maxMessageBytes, maxNoiseBytes, drainMs, maxConnections = 100, onError } = options;
  const open = new Map<Socket, StdioServing>();

  function serve(socket: Socket): void {
    const serving = serveStdio(server, { stdin: socket, stdout: socket, trace, maxMessageBytes, maxNoiseBytes, drainMs });
    open.set(socket, serving);
    socket.once('close', () => void serving.close());
    void serving.closed.then(() => {
      open.delete(socket);
      // All that was said is written by now, or the client does not read.
      socket.destroySoon();
    });
  }

  // A client that has ended its side still reads the answers to what it asked.
  const listener = createServer({ allowHalfOpen: true }, serve);
  listener.maxConnections = maxConnections;
  await makeWay(path);
  await listen(listener, path);
  try {
    await checkMade(path);
  } catch (thrown) {
    listener.close();
    throw thrown;
  }
  listener.on('error', (error) => onError?.(toError(error)));

  return {
    path,
    get connections() {
      return open.size;
    },
    peers: () => [...open.values()].flatMap((serving) => [...serving.peers()]),
    async close() {
      const stopped = new Promise<void>((resolve) => void listener.close(() => resolve()));
      await Promise.all([...open.values()].map((serving) => serving.close()));
      for (const socket of open.keys()) socket.destroy();
      await stopped;
    },
  };
}

/** Listens on a file that nobody else can open, from its beginning. */
function listen(listener: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject);
    // `listen` makes the file before it returns, in a cluster's worker too: it does not ask the primary (`exclusive`).
    const before = isPipe(path) ? undefined : process.umask(0o177);
    try {
      listener.listen({ path, exclusive: true }, () => {
        listener.off('error', reject);
        resolve();
      });
    } finally {
      if (before !== undefined) process.umask(before);
    }
  });
}
