import type { SerialFraming } from './byte-link.ts';
import { pump } from './pump.ts';

/**
 * Framing by lines, as over stdio: for a wire that loses nothing, such as a socket or a USB port. If a byte is lost, its
 * message is damaged and the call times out. A reset of the other side is not detected.
 */
export const lines: SerialFraming = ({ budget, write }, events) => {
  let queue: Uint8Array[] = [];
  let waiting = 0;
  let closed = false;

  const go = pump(write, () => {
    const bytes = queue.shift();
    if (bytes) {
      waiting -= bytes.length;
      budget.release(bytes.length);
    }
    return bytes;
  });

  return {
    open: () => events.opened(),
    push: (bytes) => events.bytes(bytes),
    send(bytes) {
      if (closed) return;
      budget.hold(bytes.length);
      waiting += bytes.length;
      queue.push(bytes);
      go();
    },
    get waiting() {
      return waiting;
    },
    pause() {},
    reset: () => events.opened(),
    close() {
      closed = true;
      budget.release(waiting);
      waiting = 0;
      queue = [];
    },
  };
};
