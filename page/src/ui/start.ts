import type { Connect } from '../messages.ts';

/** The interface in the browser begins here, whatever carries its messages. */
export function start(root: HTMLElement, connect: Connect): void {
  connect({
    message: (message) => {
      if (message.type === 'welcome') root.textContent = `barewire ${message.barewire}`;
    },
    closed: (why) => {
      root.textContent = why;
    },
  });
}
