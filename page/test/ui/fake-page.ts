// The interface with a fake host: `window.fake` sends messages of the host, and records those of the page.
import type { ActionMessage, CancelMessage, CarrierReceiver, Failure, HostMessage } from '../../src/messages.ts';
import { localParts } from '../../src/ui/local-parts.ts';
import { start } from '../../src/ui/start.ts';

export interface Fake {
  /** The messages of the page, in order. */
  readonly asked: (ActionMessage | CancelMessage)[];
  /** Results by the name of the action; the default is null. */
  readonly replies: Record<string, unknown>;
  /** The next action fails with this error. */
  failNext: Failure | undefined;
  say(message: HostMessage): void;
  close(why: string, refused: boolean): void;
  /** How often the page connected. */
  opened: number;
}

declare global {
  interface Window {
    fake: Fake;
  }
}

let receiver: CarrierReceiver | undefined;
window.fake = {
  asked: [],
  replies: {},
  failNext: undefined,
  opened: 0,
  say: (message) => receiver?.message(message),
  close: (why, refused) => receiver?.closed(why, refused),
};

const root = document.getElementById('page');
if (root) {
  start(root, (one) => {
    receiver = one;
    window.fake.opened++;
    return {
      send: (message) => {
        window.fake.asked.push(message);
        if (message.type === 'action') {
          const { id, name } = message;
          const failure = window.fake.failNext;
          window.fake.failNext = undefined;
          if (failure) {
            queueMicrotask(() => one.message({ type: 'reply', id, ok: false, error: failure }));
            return;
          }
          queueMicrotask(() => one.message({ type: 'reply', id, ok: true, result: window.fake.replies[name] ?? null }));
        }
      },
      close: () => {},
    };
  }, localParts);
}
