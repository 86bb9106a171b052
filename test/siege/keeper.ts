// The messages between the attacked process and its keeper.
import type { Socket } from 'node:net';

/** The memory of an attacked process, after two forced collections. */
export interface Condition {
  readonly heapUsed: number;
  readonly external: number;
}

/** Reports to the keeper that the process is ready, and later its memory on each request. */
export function attend(ready: unknown, command: (message: { run?: unknown }) => void = () => {}): void {
  process.on('message', (message: { collect?: boolean; run?: unknown }) => {
    if (message.collect !== true) return command(message);
    // An object freed in one turn may still be held by the promise that waits for it: collect again one turn later.
    globalThis.gc?.();
    setImmediate(() => {
      globalThis.gc?.();
      const { heapUsed, external } = process.memoryUsage();
      process.send?.({ condition: { heapUsed, external } });
    });
  });
  process.on('disconnect', () => process.exit());
  process.send?.({ ready });
}

/**
 * The most bytes of a line that the bridge from a socket to a message port holds: twice the message limit. The bridge is part of the
 * attacked process and copies a line four times (pieces, bytes, text, the port's copy), which would count as memory of the attacked code. A
 * longer line is passed without its end, which still exceeds the limit.
 */
const longest = 2 * 16 * 2 ** 20;

/** Splits the bytes of a socket into lines. An incomplete line is held in pieces. */
export function lines(socket: Socket, on: (line: string) => void): void {
  let pieces: Buffer[] = [];
  let held = 0;
  const hold = (piece: Buffer): void => {
    const kept = piece.subarray(0, longest - held);
    if (kept.length > 0) pieces.push(kept);
    held += kept.length;
  };
  socket.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let at; (at = chunk.indexOf(10, from)) >= 0; from = at + 1) {
      hold(chunk.subarray(from, at));
      const line = Buffer.concat(pieces).toString();
      pieces = [];
      held = 0;
      on(line);
    }
    if (from < chunk.length) hold(chunk.subarray(from));
  });
}
