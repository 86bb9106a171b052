import { bag } from '../explain/words.ts';
import { difference } from './difference.ts';
import { Chosen, filled, identity, parse, translated } from './replay.ts';
import type { Line, Transcript } from './transcript.ts';

/** Members of a request that say which tool, resource or prompt is meant. */
const naming: readonly string[] = ['name', 'uri', 'ref', 'taskId'];

/** What the server says once a request has come: its lines, and between them those in which its questions were answered. */
interface Run {
  readonly lines: Line[];
  /** The request's id, as the client that is here chose it. */
  readonly id: unknown;
  /** Questions that were asked and have no answer yet: the transcript's ids, as JSON, to ours. */
  readonly open: Map<string, string>;
}

/**
 * The server of a transcript, for any client: it answers each request as it was answered then. The client need not say
 * the same in the same order: the request that fits best is found by method, by what it names, and by its parameters,
 * one that was not asked yet before one that was. It does no I/O. Questions of the server's are asked where they were
 * asked, and the rest of the answer waits for theirs.
 */
export class MockServer {
  readonly #lines: readonly Line[];
  readonly #known: Map<string, unknown>;
  readonly #used = new Set<number>();
  /** Who asked a question, by the question's id. */
  readonly #waiting = new Map<string, Run>();
  readonly #theirs = new Chosen();
  #questions = 0;

  constructor({ lines, defined }: Transcript) {
    this.#lines = lines;
    this.#known = new Map(defined);
  }

  /** Takes one text of the client, and returns what the server says to it. */
  receive(text: string): string[] {
    const got = parse(text);
    // What was said as it stood, wrong as it may be, is known by its very text.
    if (this.#lines.some(({ from, raw, json }) => from === 'client' && raw && json === text)) return this.#whole(got, text) ?? [];
    if (Array.isArray(got)) return this.#whole(got, text) ?? got.flatMap((one: unknown) => this.receive(JSON.stringify(one)));
    const { id, method } = bag(got);
    if (typeof method !== 'string') {
      const run = typeof id === 'string' ? this.#waiting.get(id) : undefined;
      if (!run || typeof id !== 'string') return this.#whole(got, text) ?? [];
      this.#waiting.delete(id);
      for (const [then, now] of run.open) if (now === id) run.open.delete(then);
      return this.#say(run);
    }
    const at = this.#find(got);
    if (at === undefined) {
      if (id === undefined) return [];
      return [JSON.stringify(method === 'ping'
        ? { jsonrpc: '2.0', id, result: {} }
        : { jsonrpc: '2.0', id, error: { code: -32601, message: `the transcript has no ${identity(got)}` } })];
    }
    const again = this.#used.has(at);
    this.#used.add(at);
    const asked = bag(this.#lines[at]?.json);
    difference(asked, got, this.#known);
    this.#theirs.learn(asked, got);
    const lines = this.#answerOf(at);
    return this.#say(run(again && id !== undefined ? lines.filter(({ from, json }) => from === 'server' && isAnswerTo(json, asked['id'])) : lines, id));
  }

  /** What is no single message is answered only where the transcript has the very same. */
  #whole(got: unknown, text: string): string[] | undefined {
    const at = this.#lines.findIndex(({ from, raw, json }) => from === 'client'
      && (raw ? json === text : difference(json, got, new Map(this.#known)) === undefined));
    return at < 0 ? undefined : this.#say(run(this.#answerOf(at), undefined));
  }

  #find(got: unknown): number | undefined {
    let best: { readonly at: number; readonly score: number } | undefined;
    const { method, params } = bag(got);
    for (const [at, { from, raw, json }] of this.#lines.entries()) {
      const line = bag(json);
      if (from !== 'client' || raw || line['method'] !== method) continue;
      const named = naming.every((name) => same(bag(line['params'])[name], bag(params)[name], this.#known));
      // What names another thing is no answer to this.
      if (!named) continue;
      const equal = same(plain(line['params']), plain(params), this.#known);
      const score = (equal ? 2 : 0) + (this.#used.has(at) ? 0 : 1);
      if (!best || score > best.score) best = { at, score };
    }
    return best?.at;
  }

  /** The server's lines that belong to the client's line at `at`: up to its answer, and what follows until the client speaks again. */
  #answerOf(at: number): Line[] {
    const { id } = bag(this.#lines[at]?.json);
    const lines: Line[] = [];
    const asked = new Set<string>();
    // What has no answer, or only when it ends, goes as far as the client's next line.
    let answered = id === undefined || bag(this.#lines[at]?.json)['method'] === 'subscriptions/listen'
      || !this.#lines.slice(at + 1).some(({ from, json }) => from === 'server' && isAnswerTo(json, id));
    for (const { from, ...line } of this.#lines.slice(at + 1)) {
      const { id: other, method } = bag(line.json);
      if (from === 'client') {
        if (answered) break;
        if (method === undefined && asked.has(JSON.stringify(other))) lines.push({ from, ...line });
        continue;
      }
      // The answer to another request is said when that comes.
      if (!line.raw && method === undefined && other !== undefined && other !== null && id !== undefined && !isAnswerTo(line.json, id)) continue;
      if (method !== undefined && other !== undefined) asked.add(JSON.stringify(other));
      lines.push({ from, ...line });
      if (isAnswerTo(line.json, id)) answered = true;
    }
    return lines;
  }

  /** Says what can be said now: up to where the transcript has the answer to a question that has none yet. */
  #say(of: Run): string[] {
    const { lines, id, open } = of;
    const texts: string[] = [];
    for (let line = lines[0]; line !== undefined; line = lines[0]) {
      const { from, raw, json } = line;
      const message = bag(json);
      if (from === 'client' && open.has(JSON.stringify(message['id']))) break;
      lines.shift();
      if (from === 'client') continue;
      texts.push(raw ? String(json) : JSON.stringify(this.#now(message, json, of, id)));
    }
    return texts;
  }

  /** The server's message as it is said now. */
  #now(message: Readonly<Record<string, unknown>>, json: unknown, of: Run, id: unknown): unknown {
    const now = translated(filled(json, this.#known), this.#theirs);
    const then = message['id'];
    if (then === undefined || then === null) return now;
    if (message['method'] === undefined) return id === undefined ? now : { ...bag(now), id };
    // A question of the server's gets an id of its own: it may be asked more than once.
    const own = `q${++this.#questions}`;
    of.open.set(JSON.stringify(then), own);
    this.#waiting.set(own, of);
    return { ...bag(now), id: own };
  }
}

const run = (lines: readonly Line[], id: unknown): Run => ({ lines: [...lines], id, open: new Map() });

const isAnswerTo = (json: unknown, id: unknown): boolean => {
  const message = bag(json);
  return id !== undefined && message['method'] === undefined && JSON.stringify(message['id']) === JSON.stringify(id);
};

function same(expected: unknown, got: unknown, known: ReadonlyMap<string, unknown>): boolean {
  return expected === undefined || got === undefined ? expected === got : difference(expected, got, new Map(known)) === undefined;
}

/** Parameters without what a client says of itself. */
function plain(params: unknown): unknown {
  const { _meta: _, clientInfo: _info, capabilities: _capabilities, ...rest } = bag(params);
  return rest;
}
