import type { Prompter } from '../host/node/prompter.ts';

/**
 * Where a person sits who is asked by several at once: one question at a time, and the prompt for commands gives way to
 * each. What was typed before a question came does not answer it.
 */
export interface Desk {
  /** The person's next command. Undefined: the input has ended, or the person pressed Ctrl-C. */
  command(prompt: string): Promise<string | undefined>;
  /** Has the prompter for itself until `use` settles. */
  question<T>(use: (prompter: Prompter) => Promise<T>): Promise<T>;
}

export function openDesk(prompter: Prompter): Desk {
  let turn: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let prompt: AbortController | undefined;
  return {
    async command(text) {
      for (;;) {
        await turn;
        if (waiting > 0) continue;
        const mine = prompt = new AbortController();
        const line = await prompter.ask(text, mine.signal);
        prompt = undefined;
        if (line !== undefined || !mine.signal.aborted) return line;
      }
    },
    question(use) {
      waiting++;
      prompt?.abort();
      const mine = turn.then(async () => {
        prompter.clear?.();
        try {
          return await use(prompter);
        } finally {
          waiting--;
        }
      });
      turn = mine.catch(() => {});
      return mine;
    },
  };
}
