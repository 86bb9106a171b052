import { bag } from '../explain/words.ts';
import { difference } from './difference.ts';
import { Chosen, filled, identity, parse, translated } from './replay.ts';
import type { Line, Transcript } from './transcript.ts';

/** Members of a request that name its tool, resource or prompt. */
const naming: readonly string[] = ['name', 'uri', 'ref', 'taskId'];

/** The server's lines in answer to a request, and between them the lines that answer its questions. */
interface MockRun {
  readonly lines: Line[];
  /** The id that the current client chose for the request. */
  readonly id: unknown;
  /** The open questions: maps their ids in the transcript, as JSON, to the current ids. */
  readonly open: Map<string, string>;
}

/**
 * Plays the server of a transcript for any client: it answers each request as in the transcript. The client need not
 * send the same requests in the same order: the best match is found by method, by the names in the request, and by its
 * parameters, and an unused match is preferred. It does no I/O. The server's questions are asked at their place, and
 * the messages after a question wait for its answer.
 */
export class MockServer {
  readonly #lines: readonly Line[];
  readonly #known: Map<string, unknown>;
  readonly #used = new Set<number>();
  /** The run that asked a question, by the question's id. */
  readonly #waiting = new Map<unknown, MockRun>();
  readonly #theirs = new Chosen();
  #questions = 0;

  constructor({ lines, defined }: Transcript) {
    this.#lines = lines;
    this.#known = new Map(defined);
  }

  /** Takes one text of the client, and returns the server's messages in response. */
  receive(text: string): string[] {
    const got = parse(text);
    // Raw lines, however malformed, are matched by their exact text.
    if (this.#lines.some(({ from, raw, json }) => from === 'client' && raw && json === text)) return this.#whole(got, text) ?? [];
    if (Array.isArray(got)) return this.#whole(got, text) ?? got.flatMap((one: unknown) => this.receive(JSON.stringify(one)));
    const { id, method } = bag(got);
    if (typeof method !== 'string') {
      const run = this.#waiting.get(id);
      if (!run) return this.#whole(got, text) ?? [];
      this.#waiting.delete(id);
      for (const [then, now] of run.open) if (now === id) run.open.delete(then);
      return this.#say(run);
    }
    const at = this.#find(got);
    if (at === undefined) {
      if (id === undefined) return [];
      return [JSON.stringify(method === 'ping'
        ? { jsonrpc: '2.0', id, result: {} }
        : { jsonrpc: '2.0', id, error: { code: -32601, message: `not in the transcript: ${identity(got)}` } })];
    }
    const again = this.#used.has(at);
    this.#used.add(at);
    const asked = bag(this.#lines[at]?.json);
    difference(asked, got, this.#known);
    this.#theirs.learn(asked, got);
    const lines = this.#answerOf(at);
    return this.#say(run(again && id !== undefined ? lines.filter(({ from, json }) => from === 'server' && isAnswerTo(json, asked['id'])) : lines, id));
  }

  /** Anything but a single message is answered only if the transcript contains exactly the same. */
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
      // A request that names something else does not match.
      if (!named) continue;
      const equal = same(plain(line['params']), plain(params), this.#known);
      const score = (equal ? 2 : 0) + (this.#used.has(at) ? 0 : 1);
      if (!best || score > best.score) best = { at, score };
    }
    return best?.at;
  }

  /**
   * The server's lines in response to the client's line at `at`: up to its answer, and those that follow before the
   * client's next line.
   */
  #answerOf(at: number): Line[] {
    const { id } = bag(this.#lines[at]?.json);
    const lines: Line[] = [];
    const asked = new Set<string>();
    // A request without an answer, or with one only at its end, extends to the client's next line.
    let answered = id === undefined || bag(this.#lines[at]?.json)['method'] === 'subscriptions/listen'
      || !this.#lines.slice(at + 1).some(({ from, json }) => from === 'server' && isAnswerTo(json, id));
    for (const line of this.#lines.slice(at + 1)) {
      const { from, raw, json } = line;
      const { id: other, method } = bag(json);
      if (from === 'client') {
        if (answered) break;
        if (method === undefined && asked.has(JSON.stringify(other))) lines.push(line);
        continue;
      }
      // The answer to another request is sent when that request comes.
      if (!raw && method === undefined && other !== undefined && other !== null && id !== undefined && !isAnswerTo(json, id)) continue;
      if (method !== undefined && other !== undefined) asked.add(JSON.stringify(other));
      lines.push(line);
      if (isAnswerTo(json, id)) answered = true;
    }
    return lines;
  }

  /** The messages that can be sent now: up to the place where the transcript has the answer to an open question. */
  #say(of: MockRun): string[] {
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

  /** The server's message with current ids. */
  #now(message: Readonly<Record<string, unknown>>, json: unknown, of: MockRun, id: unknown): unknown {
    const now = translated(filled(json, this.#known), this.#theirs);
    const then = message['id'];
    if (then === undefined || then === null) return now;
    if (message['method'] === undefined) return id === undefined ? now : { ...bag(now), id };
    // A question of the server gets a new id: it may be asked more than once.
    const own = `q${++this.#questions}`;
    of.open.set(JSON.stringify(then), own);
    this.#waiting.set(own, of);
    return { ...bag(now), id: own };
  }
}

const run = (lines: readonly Line[], id: unknown): MockRun => ({ lines: [...lines], id, open: new Map() });

const isAnswerTo = (json: unknown, id: unknown): boolean => {
  const message = bag(json);
  return id !== undefined && message['method'] === undefined && JSON.stringify(message['id']) === JSON.stringify(id);
};

function same(expected: unknown, got: unknown, known: ReadonlyMap<string, unknown>): boolean {
  return expected === undefined || got === undefined ? expected === got : difference(expected, got, new Map(known)) === undefined;
}

/** Parameters without the members in which a client describes itself. */
function plain(params: unknown): unknown {
  const { _meta: _, clientInfo: _info, capabilities: _capabilities, ...rest } = bag(params);
  return rest;
}
