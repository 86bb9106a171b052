import { inBackground } from '../bounds/times.ts';
import { isUndeliverable } from './engine.ts';

/** Does again what an engine that is away has refused, until it succeeds. */
export interface Insisting {
  /** Once under a name at a time; what fails because its process has gone is given up. */
  insist(name: string, attempt: () => Promise<void>): void;
  end(): void;
}

/** Makes one that waits so many milliseconds between two attempts. */
export function insisting(everyMs: number): Insisting {
  const waiting = new Map<string, ReturnType<typeof setTimeout> | undefined>();
  let ended = false;

  function tryOnce(name: string, attempt: () => Promise<void>): void {
    attempt().then(() => waiting.delete(name), (thrown: unknown) => {
      if (isUndeliverable(thrown) || ended) return void waiting.delete(name);
      waiting.set(name, inBackground(setTimeout(() => tryOnce(name, attempt), everyMs)));
    });
  }

  return {
    insist(name, attempt) {
      if (ended || waiting.has(name)) return;
      waiting.set(name, undefined);
      tryOnce(name, attempt);
    },
    end() {
      ended = true;
      for (const timer of waiting.values()) clearTimeout(timer);
      waiting.clear();
    },
  };
}
