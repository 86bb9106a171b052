// What the attacked process and its keeper have in common: how they speak over the channel between them.
import type { Socket } from 'node:net';

/** What an attacked process tells of itself when asked, after two forced collections. */
export interface Condition {
  readonly heapUsed: number;
  readonly external: number;
}

/** Tells the keeper that the process is ready, and from then on its condition whenever it is asked. */
export function attend(ready: unknown, command: (message: { run?: unknown }) => void = () => {}): void {
  process.on('message', (message: { collect?: boolean; run?: unknown }) => {
    if (message.collect !== true) return command(message);
    // What is freed in a turn may be held by the promise that waits for it: the second collection is a turn later.
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
 * What the bridge from a socket to a message port holds of a line: twice what a message may have. It stands in the attacked
 * process and copies a line four times (pieces, bytes, text, the port's own), which would count as held by what is attacked.
 * A longer line goes on without its end, and is as much too long.
 */
const longest = 2 * 16 * 2 ** 20;

/** Cuts what a socket brings into lines. The text that is not yet a line is held in pieces. */
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
