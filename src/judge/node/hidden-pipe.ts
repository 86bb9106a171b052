import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFramer } from '../../jsonrpc/index.ts';
import type { ClientEvents, Leaving } from '../client/port.ts';

/** The judge's side of a relay that a client starts as its server. */
export interface HiddenPipe {
  /** The socket file, or on Windows the named pipe, that `relay` connects to. */
  readonly path: string;
  /** Sends text to the client; keeps it until the relay has connected. */
  write(text: string): void;
  /** Sends bytes to the client. Drops them if the relay has not connected. */
  writeBytes(bytes: Uint8Array): void;
  close(): void;
}

/**
 * Listens for a relay. Only this user can enter the socket's folder, so no web page and no other user reaches it. `stays`: the relay
 * continues after the end of its input.
 */
export async function hiddenPipe(events: ClientEvents, stays: boolean): Promise<HiddenPipe> {
  const folder = process.platform === 'win32' ? undefined : mkdtempSync(join(tmpdir(), 'barewire-judge-'));
  const path = folder === undefined ? `\\\\.\\pipe\\barewire-judge-${randomUUID()}` : join(folder, 'relay');
  let streams: Socket | undefined;
  let waiting = '';
  const sockets = new Set<Socket>();
  const left = (how: Leaving): void => {
    events.left(how);
    // Like a server, it ends when its input ends.
    if (how === 'input' && !stays) streams?.end();
  };
  const door = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    const framer = createFramer({ line: (line) => events.line(line), refused: ({ error }) => events.unreadable(error.message) });
    let head: Buffer | undefined = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      if (head === undefined) return framer.push(chunk);
      head = Buffer.concat([head, chunk]);
      const at = head.indexOf(0x0a);
      if (at < 0) return;
      const first = head.subarray(0, at).toString();
      const rest = head.subarray(at + 1);
      head = undefined;
      if (first === 'left input') left('input');
      else if (first === 'left signal') left('signal');
      else if (first === 'streams') {
        // A client may start its server again: use the last one.
        streams = socket;
        // The relay never closes its side first: the end of the socket is the end of the process.
        socket.on('end', () => {
          framer.end();
          if (stays) events.left('killed');
          socket.end();
        });
        socket.write(waiting);
        waiting = '';
        if (rest.length > 0) framer.push(rest);
      }
    });
  });
  door.listen(path);
  await once(door, 'listening');
  return {
    path,
    write(text) {
      if (streams) streams.write(text);
      else waiting += text;
    },
    writeBytes: (bytes) => void streams?.write(bytes),
    close() {
      for (const socket of sockets) socket.destroy();
      door.close();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
