import type { OpenQuestions } from '../transport/server-port.ts';

/** How many states are remembered; of more the oldest are not waited for when the server closes. */
const maxStates = 1_000;

/** Makes the record of a server's questions to clients. A state is known by its first characters, which are random. */
export function openQuestions(): OpenQuestions & {
  asked: boolean;
  /** A sealed state goes to a client, who may bring it back until it expires. */
  sent(state: string, expiresAt: number): void;
  /** A client has brought it back. */
  returned(state: string): void;
} {
  const states = new Map<string, number>();
  let waiting: (() => void)[] = [];
  return {
    asked: false,
    get open() {
      const now = Date.now();
      for (const [id, expiresAt] of states) if (expiresAt <= now) states.delete(id);
      return states.size;
    },
    answered: () => new Promise<void>((resolve) => waiting.push(resolve)),
    sent(state, expiresAt) {
      this.asked = true;
      states.set(state.slice(0, 16), expiresAt);
      if (states.size > maxStates) states.delete(states.keys().next().value as string);
    },
    returned(state) {
      if (!states.delete(state.slice(0, 16))) return;
      for (const told of waiting) told();
      waiting = [];
    },
  };
}
