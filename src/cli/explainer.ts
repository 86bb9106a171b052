import { BoundedMap } from '../bounds/bounded-map.ts';
import { explain } from '../explain/explain.ts';
import { revisions } from '../explain/phrases.ts';
import { head, visible, width, wireLine } from '../explain/safe-text.ts';
import { bag } from '../explain/words.ts';
import { httpLines } from '../explain/http.ts';
import type { EventTraceEntry, HttpTraceEntry } from '../transport/internal-exports.ts';
import type { Style } from '../host/node/style.ts';

/** Explains a message, and remembers requests and the revision for later messages. */
export interface PassingExplainer {
  (from: 'client' | 'server', text: string): Said;
  /** The revision that the two sides use, if a message has named it. */
  revision(): string | undefined;
}

/** The most requests that are remembered for their answers, and characters of each method. */
const maxAsked = 10_000;
export const maxMethod = 200;

/** The methods of one side's requests by their ids, for the answers. */
export const askedMethods = (): Map<unknown, string> => new BoundedMap(maxAsked);

/** The explanation of a message or head, and the section of the specification. */
export interface Said {
  readonly what: string;
  readonly section: string;
}

/** Returns an explainer for the messages between a client and a server. It learns the revision from these messages. */
export function explainPassing(): PassingExplainer {
  // A peer may never answer, so old requests are forgotten.
  const asked = { client: askedMethods(), server: askedMethods() };
  let revision: string | undefined;
  return Object.assign((from: 'client' | 'server', text: string): Said => {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      // `explain` reports a line that is not JSON.
    }
    for (const one of Array.isArray(message) ? message as unknown[] : [message]) {
      const { id, method, params, result } = bag(one);
      if (id !== undefined && typeof method === 'string') asked[from].set(id, head(method, maxMethod));
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
  }, { revision: () => revision });
}

/** One message as lines: time, sender, text, explanation and section of the specification. */
export function explainedLines(seconds: string, from: 'client' | 'server', text: string, said: Said, style: Style, columns: number): string[] {
  const paint = from === 'client' ? style.cyan : style.green;
  return [
    `${style.dim(seconds.padStart(7))} ${paint(`${from === 'client' ? '→' : '←'} ${columns === Infinity ? visible(text) : wireLine(text, columns - 10)}`)}`,
    ...saidLines(said, style, columns),
  ];
}

/** The head of a request or response as lines, or an event without a message. */
export function explainedHttpLines(seconds: string, entry: HttpTraceEntry | EventTraceEntry, said: Said, style: Style, columns: number): string[] {
  const [first = '', ...rest] = httpLines(entry);
  return [
    `${style.dim(seconds.padStart(7))} ${style.magenta(`${entry.direction === 'sent' ? '→' : '←'} ${first}`)} ${style.dim(`#${entry.exchange}`)}`,
    ...rest.map((line) => `          ${style.dim(line)}`), ...saidLines(said, style, columns),
  ];
}

function saidLines({ what, section }: Said, { dim }: Style, columns: number): string[] {
  const line = `${what}  ${dim(section)}`;
  return 11 + width(line) <= columns ? [`           ${line}`] : [`           ${what}`, `           ${dim(section)}`];
}
