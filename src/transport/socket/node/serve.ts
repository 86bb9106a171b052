import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import type { GaugedPeer } from '../../../bounds/gauges.ts';
import { checkOptions } from '../../../bounds/options.ts';
import { tell } from '../../../jsonrpc/errors.ts';
import { serveStdio } from '../../stdio/serve.ts';
import type { StdioServing } from '../../stdio/serve.ts';
import type { Trace } from '../../trace.ts';
import type { ServerPort } from '../../server-port.ts';
import { checkMade, checkPath, isPipe, makeWay } from './socket-path.ts';

/** The options of `serveSocket`. */
export interface ServeSocketOptions {
  /** Called with each message of every client; `received`: from a client. */
  readonly trace?: Trace | undefined;
  /** Bytes of one message; a longer one is refused. 16 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** Bytes that may arrive without a valid message; each line adds 100. Then the connection is closed. 256 MiB. */
  readonly maxNoiseBytes?: number | undefined;
  /** Milliseconds that requests in flight may continue after their client has ended its side; then they are aborted. 5000. */
  readonly drainMs?: number | undefined;
  /** Connections at one time; further connections are closed. 100. */
  readonly maxConnections?: number | undefined;
  /** Called for errors that cannot be sent to a client. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** A server that listens on a Unix socket or a named pipe. */
export interface SocketServer {
  readonly path: string;
  /** The number of open connections. */
  readonly connections: number;
  /** Accepts no new connection, ends every session, and removes the file. */
  close(): Promise<void>;
  /** For `gauges`: the clients. */
  readonly peers: () => Iterable<GaugedPeer>;
}

/**
 * Serves a server on a Unix socket, or on a named pipe of Windows: lines as over stdio, each connection is a client. Access
 * is controlled only by the file, which has mode 600: this user and root. A stale socket of this user at the path is
 * replaced; any other file is refused, and so is a folder in which other users can replace files. Not for a worker thread,
 * which cannot create the file with this mode.
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
      // By now all messages are written, or the client does not read.
      socket.destroySoon();
    });
  }

  // A client that has ended its side still reads the responses to its requests.
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
  listener.on('error', (error) => tell(onError, error));

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

/** Creates the socket file with mode 600 and listens on it. */
function listen(listener: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject);
    // `listen` creates the file before it returns. With `exclusive` also in a cluster worker, without asking the primary.
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
