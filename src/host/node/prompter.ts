import { createInterface } from 'node:readline';

/** A person at a terminal, or a file that stands in for one. */
export interface Prompter {
  /** Writes one line. The text is written as it is: make what came from the wire `visible` first. */
  say(line: string): void;
  /**
   * Writes the question and waits for a line, which comes without its end. Undefined: there is no answer,
   * because the input ended, the person pressed Ctrl-C or the signal fired. One question at a time.
   */
  ask(question: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Drops what was typed ahead: what answers a question is typed after it. */
  clear?(): void;
  /** Lets go of the streams, without ending them. */
  close(): void;
}

/**
 * A prompter upon two streams. Lines that arrive before they are asked for are kept for the questions that
 * follow, so a pipe works too. At a terminal it takes Ctrl-C for itself while it is open: open it for a form,
 * and close it after. `onInterrupt` is told of each Ctrl-C.
 */
export function openPrompter(input: NodeJS.ReadableStream, output: NodeJS.WritableStream, onInterrupt?: () => void): Prompter {
  const reader = createInterface({ input, output });
  const lines: string[] = [];
  let waiting: ((line: string | undefined) => void) | undefined;
  let ended = false;
  const settle = (line: string | undefined): void => {
    const resolve = waiting;
    waiting = undefined;
    resolve?.(line);
  };
  reader.on('line', (line) => {
    if (waiting) settle(line);
    else lines.push(line);
  });
  reader.on('SIGINT', () => {
    onInterrupt?.();
    settle(undefined);
  });
  reader.on('close', () => {
    ended = true;
    settle(undefined);
  });
  return {
    say: (line) => void output.write(`${line}\n`),
    ask: async (question, signal) => {
      if (waiting) throw new Error('a question is open already');
      if (signal?.aborted || (ended && lines.length === 0)) return undefined;
      if (ended) output.write(question);
      else {
        reader.setPrompt(question);
        reader.prompt();
      }
      if (lines.length > 0) return lines.shift();
      const stop = (): void => settle(undefined);
      signal?.addEventListener('abort', stop, { once: true });
      try {
        return await new Promise<string | undefined>((resolve) => {
          waiting = resolve;
        });
      } finally {
        signal?.removeEventListener('abort', stop);
      }
    },
    clear() {
      lines.length = 0;
      // Ctrl-U: what stands in the line that is being typed.
      if (!ended) reader.write(null, { ctrl: true, name: 'u' });
    },
    close: () => reader.close(),
  };
}
