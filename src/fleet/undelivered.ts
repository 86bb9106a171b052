import type { Carried } from './messages.ts';

/** Messages that are kept in all, and their characters. */
const most = { messages: 256, characters: 1_048_576 };

/**
 * Clients' messages for processes that were taken for gone. Their clients have been told that nobody waits; where such a
 * process turns out to live (it was stopped, or cut off for longer than its lease), it gets them after all: its handlers
 * wait for those answers.
 */
export interface Undelivered {
  keep(process: string, message: Carried): void;
  /** Gives out what is kept for a process. */
  take(process: string): readonly Carried[];
}

/** Keeps the newest ones. */
export function undelivered(): Undelivered {
  let kept: { readonly process: string; readonly message: Carried; readonly characters: number }[] = [];
  let held = 0;

  return {
    keep(process, message) {
      const characters = JSON.stringify(message).length;
      kept.push({ process, message, characters });
      held += characters;
      while (held > most.characters || kept.length > most.messages) held -= kept.shift()?.characters ?? 0;
    },
    take(process) {
      const own = kept.filter((one) => one.process === process);
      kept = kept.filter((one) => one.process !== process);
      for (const { characters } of own) held -= characters;
      return own.map(({ message }) => message);
    },
  };
}
