import { explain } from '../explain/explain.ts';
import { revisions } from '../explain/phrases.ts';
import { visible, width, wireLine } from '../explain/safe-text.ts';
import { bag } from '../explain/words.ts';
import type { Style } from './terminal.ts';

/** Says of each message that passes between two others what it is. It learns the revision from what they say. */
export function explainPassing(): (from: 'client' | 'server', text: string) => { readonly what: string; readonly section: string } {
  const asked = { client: new Map<unknown, string>(), server: new Map<unknown, string>() };
  let revision: string | undefined;
  return (from, text) => {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      // Explained as what it is: a line that is not JSON.
    }
    for (const one of Array.isArray(message) ? message as unknown[] : [message]) {
      const { id, method, params, result } = bag(one);
      if (id !== undefined && typeof method === 'string') asked[from].set(id, method);
      const named = bag(result)['protocolVersion'] ?? bag(bag(params)['_meta'])['io.modelcontextprotocol/protocolVersion'];
      if (typeof named === 'string' && revisions.includes(named)) revision = named;
    }
    const questions = asked[from === 'client' ? 'server' : 'client'];
    const said = explain(message ?? text, from === 'client' ? 'sent' : 'received', revision, (id) => questions.get(id));
    for (const one of Array.isArray(message) ? message as unknown[] : [message]) {
      const { id, method } = bag(one);
      if (method === undefined) questions.delete(id);
    }
    return said;
  };
}

/** One message as lines: when, who, the text, what it is and where that is specified. */
export function explainedLines(
  seconds: string, from: 'client' | 'server', text: string, said: { readonly what: string; readonly section: string }, style: Style, columns: number,
): string[] {
  const paint = from === 'client' ? style.cyan : style.green;
  const line = `${said.what}  ${style.dim(said.section)}`;
  return [
    `${style.dim(seconds.padStart(7))} ${paint(`${from === 'client' ? '→' : '←'} ${columns === Infinity ? visible(text) : wireLine(text, columns - 10)}`)}`,
    ...11 + width(line) <= columns ? [`           ${line}`] : [`           ${said.what}`, `           ${style.dim(said.section)}`],
  ];
}
