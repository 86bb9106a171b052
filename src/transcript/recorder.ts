import { bag } from '../explain/words.ts';
import { createPlaceholders, layout } from './placeholders.ts';

/** Writes messages as a transcript. */
export interface Recorder {
  /** The lines of the transcript for one message, with line ends. `text` is one message as it was sent. */
  add(from: 'client' | 'server', text: string): string;
}

/**
 * Writes messages as a transcript, one after the other. Values that a server creates anew in each session
 * (`requestState`, cursors, ids of tasks and pages) become placeholders, so that the transcript fits the next session
 * too. A text that is not JSON, or whose numbers JavaScript would change, is kept; only its line breaks become blanks.
 */
export function recorder(): Recorder {
  const placeholders = createPlaceholders();
  const open = new Set<string>();
  return {
    add(from, text) {
      const message = placeholders.message(from, text);
      if (message === undefined) return `${from === 'client' ? '-!>' : '<!-'} ${text.replaceAll(/[\r\n]+/g, ' ')}\n`;
      const { id, method } = bag(message.json);
      // While several requests are open, their answers may come in any order.
      const arrow = from === 'client' ? '-->' : open.size > 1 ? '<~~' : '<--';
      if (id !== undefined && from === 'client' && method !== undefined) open.add(String(id));
      if (id !== undefined && from === 'server' && method === undefined) open.delete(String(id));
      return `${message.definitions}${arrow} ${layout(message.json, 4, 4).trimStart()}\n`;
    },
  };
}
