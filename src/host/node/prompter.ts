import { createInterface } from 'node:readline';
import { columnsFor } from './frame.ts';
import { linesTo, rowsOn } from './lines.ts';

/** A person at a terminal, or a file in place of one. */
export interface Prompter {
  /** Columns of the screen. Undefined: unknown. */
  readonly columns?: number | undefined;
  /** Writes one line unchanged: make text from the wire `visible` first. */
  say(line: string): void;
  /**
   * Writes the question and waits for a line, which it returns without its line end. Undefined: there is no answer,
   * because the input ended, the person pressed Ctrl-C or the signal fired. Only one question may be open.
   */
  ask(question: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Drops text that was typed ahead, so that only text typed after the question answers it. */
  clear?(): void;
  /** Releases the streams without ending them. */
  close(): void;
}

/** A stream that may be a terminal. */
type PrompterStream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/**
 * A prompter on two streams. Lines that arrive early are kept for later questions, so a pipe works too. On a terminal
 * it handles Ctrl-C while it is open: open it for a form, and close it afterwards. `onInterrupt` is called for each
 * Ctrl-C.
 */
export function openPrompter(input: NodeJS.ReadableStream, output: PrompterStream, onInterrupt?: () => void): Prompter {
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
    get columns() {
      return columnsFor(output);
    },
    say: linesTo(output),
    ask: async (question, signal) => {
      if (waiting) throw new Error('another question is already open');
      if (signal?.aborted || (ended && lines.length === 0)) return undefined;
      const rows = rowsOn(output, question);
      for (const row of rows.slice(0, -1)) output.write(`${row}\n`);
      const last = rows.at(-1) ?? '';
      if (ended) output.write(last);
      else {
        reader.setPrompt(last);
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
      // Ctrl-U: clears the line that is being typed.
      if (!ended) reader.write(null, { ctrl: true, name: 'u' });
    },
    close: () => reader.close(),
  };
}
