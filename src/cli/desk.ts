import type { Prompter } from '../host/node/prompter.ts';

/**
 * Shares one prompter between the command prompt and the questions of several servers. Questions come one at a time and
 * interrupt the command prompt. Text typed before a question does not answer it.
 */
export interface Desk {
  /** Asks for the person's next command. Undefined: the input has ended, or the person pressed Ctrl-C. */
  command(prompt: string): Promise<string | undefined>;
  /** Gives `use` the prompter exclusively until it settles. */
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
