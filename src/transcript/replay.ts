import { checkOptions } from '../bounds/options.ts';
import { bag } from '../explain/words.ts';
import { difference, fill } from './difference.ts';
import type { Line, Transcript } from './transcript.ts';

/** A difference between the transcript and the actual messages. */
export interface Difference {
  /** The transcript's line, counted from 1; 0: no line matches. */
  readonly at: number;
  /** `path: expected …, got …`. */
  readonly what: string;
}

/** The options of `Replay`. */
export interface ReplayOptions {
  /** Members that may have any value, at any depth, such as `serverInfo`. */
  readonly ignored?: readonly string[];
}

/**
 * Plays one side of a transcript against the other: sends the messages of `side`, and compares the responses. It does
 * no I/O: it returns texts to send, and receives texts that came. The other side chooses the ids and progress tokens
 * of its requests, and they are translated.
 */
export class Replay {
  readonly #lines: readonly Line[];
  readonly #side: 'client' | 'server';
  readonly #known: Map<string, unknown>;
  readonly #ignored: readonly string[];
  readonly #differences: Difference[] = [];
  /** Maps the other side's ids and tokens in the transcript to the current ones. */
  readonly #theirs = new Chosen();
  #next = 0;
  /** The lines that the other side must send now: one line, or several in any order that are marked so. */
  #awaited: Line[] = [];

  constructor({ lines, defined }: Transcript, side: 'client' | 'server', options: ReplayOptions = {}) {
    checkOptions('Replay: options', options, { ignored: 'list' });
    this.#lines = lines;
    this.#side = side;
    this.#known = new Map(defined);
    this.#ignored = options.ignored ?? [];
  }

  /** The differences so far, in the order in which they were found. */
  get differences(): readonly Difference[] {
    return this.#differences;
  }

  /** The first line that the other side has not sent yet; undefined: every line was played. */
  get waitsFor(): Line | undefined {
    return this.#awaited[0];
  }

  /** The texts to send before anything arrives. Call it once. */
  begin(): string[] {
    return this.#advance();
  }

  /** Takes one text of the other side, and returns the texts to send now. */
  receive(text: string): string[] {
    const got = parse(text);
    const tried = this.#awaited.map((line) => ({ line, ...this.#compare(line, got, text) }));
    const fits = tried.find(({ what }) => what === undefined)
      // Otherwise, a message of the same kind counts as the message of that line.
      ?? tried.find(({ line }) => !line.raw && identity(line.json) === identity(got));
    if (!fits) {
      const [first] = tried;
      this.#differences.push({ at: first?.line.at ?? 0, what: `expected ${first ? identity(first.line.json) : 'nothing more'}, got ${identity(got)}` });
      return [];
    }
    for (const [name, value] of fits.learned) this.#known.set(name, value);
    if (fits.what !== undefined) this.#differences.push({ at: fits.line.at, what: fits.what });
    this.#learnIds(fits.line.json, got);
    this.#awaited.splice(this.#awaited.indexOf(fits.line), 1);
    return this.#awaited.length > 0 ? [] : this.#advance();
  }

  /** Ends the replay: lines that are still awaited did not come. */
  end(why: string): void {
    for (const { at, json } of this.#awaited) this.#differences.push({ at, what: `${identity(json)} did not come: ${why}` });
    this.#awaited = [];
    this.#next = this.#lines.length;
  }

  #advance(): string[] {
    const texts: string[] = [];
    for (; this.#next < this.#lines.length; this.#next++) {
      const line = this.#lines[this.#next] as Line;
      if (line.from !== this.#side) break;
      texts.push(line.raw ? String(line.json) : JSON.stringify(this.#own(line.json)));
    }
    for (; this.#next < this.#lines.length; this.#next++) {
      const line = this.#lines[this.#next] as Line;
      const before = this.#awaited.at(-1);
      if (line.from === this.#side || (before && !(before.anyOrder && line.anyOrder))) break;
      this.#awaited.push(line);
    }
    return texts;
  }

  #own(json: unknown): unknown {
    return translated(filled(json, this.#known), this.#theirs);
  }

  #compare(line: Line, got: unknown, text: string): { what: string | undefined; learned: Map<string, unknown> } {
    const learned = new Map(this.#known);
    if (line.raw) return { what: line.json === text ? undefined : 'the text differs', learned };
    const expected = withoutTheirIds(line.json);
    return { what: difference(without(expected, this.#ignored), without(withoutTheirIds(got), this.#ignored), learned), learned };
  }

  #learnIds(expected: unknown, got: unknown): void {
    this.#theirs.learn(expected, got);
  }
}

const tokenOf = (message: unknown): unknown => bag(bag(bag(message)['params'])['_meta'])['progressToken'];

/** Maps the ids and progress tokens that the other side chose in the transcript to the current ones. */
export class Chosen {
  readonly #now = new Map<string, unknown>();

  /** Learns from a request in the transcript and the actual one. */
  learn(expected: unknown, got: unknown): void {
    const [then, now] = [bag(expected), bag(got)];
    if (then['method'] === undefined) return;
    for (const [kind, old, one] of [['id', then['id'], now['id']], ['token', tokenOf(then), tokenOf(now)]] as const) {
      if (old !== undefined && one !== undefined) this.#now.set(`${kind} ${JSON.stringify(old)}`, one);
    }
  }

  of(kind: 'id' | 'token', then: unknown): unknown {
    const key = `${kind} ${JSON.stringify(then)}`;
    return this.#now.has(key) ? this.#now.get(key) : then;
  }
}

/** Replaces placeholders by their values. An unknown one gets its name without the brackets. */
export function filled(json: unknown, known: Map<string, unknown>): unknown {
  for (;;) {
    try {
      return fill(json, known);
    } catch (thrown) {
      const [, name] = /(<[^<>]+>)$/.exec(thrown instanceof Error ? thrown.message : '') ?? [];
      if (name === undefined) throw thrown;
      known.set(name, name.slice(1, -1));
    }
  }
}

const subscription = 'io.modelcontextprotocol/subscriptionId';

/**
 * Replaces the other side's ids and tokens in our message by the current ones: in answers, in progress, and in messages
 * of a subscription.
 */
export function translated(json: unknown, theirs: Chosen): unknown {
  const message = bag(json);
  const { id, method } = message;
  if (Object.keys(message).length === 0) return json;
  const changed: Record<string, unknown> = { ...message };
  if (id !== undefined && method === undefined) changed['id'] = theirs.of('id', id);
  const member = method === undefined ? 'result' : 'params';
  const holder = bag(message[member]);
  const meta = bag(holder['_meta']);
  if (method === 'notifications/progress') changed[member] = { ...holder, progressToken: theirs.of('token', holder['progressToken']) };
  if (meta[subscription] !== undefined) {
    changed[member] = { ...holder, _meta: { ...meta, [subscription]: theirs.of('id', meta[subscription]) } };
  }
  return changed;
}

/** Removes the ids and tokens that the sender of a request chooses. */
function withoutTheirIds(json: unknown): unknown {
  const message = bag(json);
  if (message['method'] === 'notifications/cancelled') {
    const { requestId: _id, ...params } = bag(message['params']);
    return { ...message, params };
  }
  if (typeof message['method'] !== 'string' || message['id'] === undefined) return json;
  const { id: _id, ...rest } = message;
  const params = bag(message['params']);
  const meta = bag(params['_meta']);
  if (meta['progressToken'] === undefined) return rest;
  const { progressToken: _token, ...other } = meta;
  return { ...rest, params: { ...params, _meta: other } };
}

function without(json: unknown, ignored: readonly string[]): unknown {
  if (ignored.length === 0) return json;
  if (Array.isArray(json)) return json.map((item) => without(item, ignored));
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(Object.entries(json).filter(([name]) => !ignored.includes(name)).map(([name, one]) => [name, without(one, ignored)]));
}

/** The kind of a message in a few words: `tools/call`, `the answer to 3`. */
export function identity(json: unknown): string {
  if (Array.isArray(json)) return 'a batch';
  const { id, method } = bag(json);
  if (typeof method === 'string') return method.slice(0, 80);
  return id === undefined ? 'no message' : `the answer to ${JSON.stringify(id).slice(0, 80)}`;
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns the differences between two sessions: both sides of `got` are played against `expected`, message by message. */
export function compareTranscripts(expected: Transcript, got: Transcript, options: ReplayOptions = {}): Difference[] {
  const all = (['client', 'server'] as const).flatMap((side) => {
    const lines = got.lines.filter(({ from }) => from === side);
    const known = new Map(got.defined);
    const far = { ...expected, lines: expected.lines.filter(({ from }) => from === side) };
    const replay = new Replay(far, side === 'client' ? 'server' : 'client', options);
    replay.begin();
    for (const { json, raw } of lines) replay.receive(raw ? String(json) : JSON.stringify(filled(json, known)));
    replay.end('the session ended');
    return replay.differences;
  });
  return all.sort((a, b) => a.at - b.at);
}
