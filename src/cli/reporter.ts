import { explain } from '../explain/explain.ts';
import { explainHttp, httpLines } from '../explain/http.ts';
import { head, truncate, visible, width, wireLine } from '../explain/safe-text.ts';
import { askedMethods, maxMethod } from './explainer.ts';
import { jsonLine } from './json-line.ts';
import { table, wrap } from './terminal.ts';
import type { Style } from '../host/node/style.ts';
import { bag } from '../explain/words.ts';
import type { HttpTrace, TracedEvent } from '../transport/internal-exports.ts';

/** The result of one step. */
export interface Row {
  readonly step: string;
  /** `absent`: the server does not have the feature, or nothing was done that can fail. */
  readonly outcome: 'ok' | 'failed' | 'absent';
  readonly detail: string;
  /** Number of messages in both directions. */
  readonly messages: number;
  /** Milliseconds. */
  readonly ms: number;
}

/** A message on the wire, explained. */
export interface ExplainedMessage {
  /** Milliseconds since the tour began. */
  readonly at: number;
  readonly direction: 'sent' | 'received';
  readonly text: string;
  /** The parsed message; undefined if the text is not JSON. */
  readonly message: unknown;
  readonly what: string;
  readonly section: string;
  /** Over HTTP, if that is shown: the exchange of the message, and the fields of its event. */
  readonly exchange?: number | undefined;
  readonly event?: TracedEvent | undefined;
}

/** The head of a request or response, or an event without a message, explained. */
export interface ExplainedHttp {
  readonly at: number;
  readonly direction: 'sent' | 'received';
  readonly exchange: number;
  /** Safe to print; the start line is first. */
  readonly lines: readonly string[];
  readonly what: string;
  readonly section: string;
}

/** The output of the tour. It makes text from the wire safe to print. */
export interface Reporter {
  /** Begins a walk through a server. */
  walk(title: string): void;
  step(title: string, intro: string): void;
  /** Begins a part of a step, such as one tool. */
  part(title: string): void;
  message(message: ExplainedMessage): void;
  http(seen: ExplainedHttp): void;
  note(text: string): void;
  stderr(line: string): void;
  problem(text: string): void;
  result(row: Row): void;
  summary(title: string, rows: readonly Row[]): void;
  end(ok: boolean, text: string): void;
  /** Holds back output until `resume`. */
  pause(): void;
  resume(): void;
}

/** Returns a function that explains traced messages and heads. It remembers the requests of both directions. */
export function createExplainer(
  began: number, revision: () => string | undefined,
): (entry: Parameters<HttpTrace>[0]) => ({ readonly kind: 'message' } & ExplainedMessage) | ({ readonly kind: 'http' } & ExplainedHttp) {
  const asked = { sent: askedMethods(), received: askedMethods() };
  return (entry) => {
    if (entry.kind === 'http' || entry.kind === 'event') {
      const { direction, exchange } = entry;
      return { kind: 'http', at: entry.at - began, direction, exchange, lines: httpLines(entry), ...explainHttp(entry, revision()) };
    }
    const { direction, text, at, exchange, event } = entry;
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      // `explain` reports a line that is not JSON.
    }
    for (const one of Array.isArray(message) ? message as unknown[] : [message]) {
      const { id, method } = bag(one);
      if (id !== undefined && typeof method === 'string') asked[direction].set(id, head(method, maxMethod));
    }
    const questions = asked[direction === 'sent' ? 'received' : 'sent'];
    const said = explain(message ?? text, direction, revision(), (id) => questions.get(id));
    return { kind: 'message', at: at - began, direction, text, message, ...said, exchange, event };
  };
}

export interface PrintOptions {
  readonly print: (line: string) => void;
  readonly style: Style;
  /** The width of the screen; `Infinity`: nothing is cut, and a long message gets a line for each member. */
  readonly columns: number;
}

/** The fields of the event that carried a message, as one line; empty if it has no fields. */
const fields = (event: TracedEvent = {}): readonly string[] => {
  const lines = Object.entries(event).filter(([, value]) => value !== undefined).map(([name, value]) => `${name}: ${visible(String(value))}`);
  return lines.length === 0 ? [] : [`event ${lines.join(', ')}`];
};

/** With unlimited width, a message of more characters gets a line for each member. */
const longLine = 100;

const legend = 'Each message: the seconds since the start, then → from the client or ← from the server; '
  + 'below it, what it means and the section of the specification.';

/** The most characters of a problem: it may contain text from a server. */
const maxSaid = 2_000;

const bounded = (text: string): string =>
  visible(head(text, maxSaid)) + (text.length > maxSaid ? `… ${(text.length - head(text, maxSaid).length).toLocaleString('en')} characters more` : '');

const seconds = (ms: number): string => (Math.max(0, ms) / 1000).toFixed(3);

/** Reports everything, for a person. */
export function watchReporter({ print: out, style, columns }: PrintOptions): Reporter {
  const { bold, dim, cyan, green, red, yellow, magenta } = style;
  const held: string[] = [];
  let holding = false;
  const print = (line: string): void => {
    if (holding) held.push(line);
    else out(line);
  };
  const wide = Math.min(columns, 100);
  const indent = '         ';
  const wrapped = (text: string, paint: (text: string) => string): void => {
    for (const line of wrap(text, columns - indent.length)) print(indent + paint(line));
  };
  const said = (what: string, section: string): void => {
    const line = `${what}  ${dim(section)}`;
    if (indent.length + 2 + width(line) <= columns) print(`${indent}  ${line}`);
    else {
      for (const part of wrap(what, columns - indent.length - 2)) print(`${indent}  ${part}`);
      print(`${indent}  ${dim(section)}`);
    }
  };
  return {
    walk(title) {
      print('');
      print(bold(visible(title)));
      print(bold('═'.repeat(Math.min(wide, width(visible(title))))));
      for (const line of wrap(legend, wide)) print(dim(line));
    },
    step(title, intro) {
      const head = `── ${title} `;
      print('');
      print(bold(head + '─'.repeat(Math.max(3, wide - width(head)))));
      for (const line of wrap(intro, wide)) print(dim(line));
    },
    part(title) {
      print('');
      print(`   ${bold(visible(title))}`);
    },
    message({ at, direction, text, message, what, section, event }) {
      const sent = direction === 'sent';
      for (const field of fields(event)) print(`${' '.repeat(10)}${dim(field)}`);
      const paint = 'error' in bag(message) || message === undefined ? red : sent ? cyan : green;
      const [first = '', ...rest] = columns === Infinity && text.length > longLine && message !== undefined
        ? JSON.stringify(message, null, 2).split('\n').map(visible)
        : [wireLine(text, columns - 10)];
      print(`${dim(seconds(at).padStart(7))} ${paint(`${sent ? '→' : '←'} ${first}`)}`);
      for (const line of rest) print(`          ${paint(line)}`);
      said(what, section);
    },
    http({ at, direction, exchange, lines: [first = '', ...rest], what, section }) {
      const sent = direction === 'sent';
      print(`${dim(seconds(at).padStart(7))} ${magenta(`${sent ? '→' : '←'} ${first}`)} ${dim(`#${exchange}`)}`);
      for (const line of rest) print(`${' '.repeat(10)}${dim(columns === Infinity ? line : truncate(line, columns - 10))}`);
      said(what, section);
    },
    note: (text) => wrapped(`(${bounded(text)})`, yellow),
    stderr: (line) => print(`${indent}${dim(`stderr │ ${wireLine(line, columns - indent.length - 9)}`)}`),
    problem: (text) => wrapped(`Problem: ${bounded(text)}`, red),
    result({ outcome, step, detail }) {
      const word = outcome === 'ok' ? green('ok') : outcome === 'failed' ? red('failed') : dim('not there');
      print(`   ${word}  ${step}${detail && `: ${visible(detail)}`}`);
    },
    summary(title, rows) {
      print('');
      print(bold(visible(title)));
      for (const line of summaryLines(rows, columns, { green, red, dim, bold })) print(line);
    },
    end(ok, text) {
      print('');
      print((ok ? green : magenta)(bold(visible(text))));
    },
    pause: () => {
      holding = true;
    },
    resume() {
      holding = false;
      for (const line of held.splice(0)) out(line);
    },
  };
}

/** Reports only the tables and problems. */
export function quietReporter({ print, style, columns }: PrintOptions): Reporter {
  const { bold, green, red } = style;
  const nothing = (): void => {};
  return {
    walk: nothing,
    step: nothing,
    part: nothing,
    message: nothing,
    http: nothing,
    note: nothing,
    stderr: nothing,
    problem: (text) => print(red(`Problem: ${bounded(text)}`)),
    result: nothing,
    summary(title, rows) {
      print(bold(visible(title)));
      for (const line of summaryLines(rows, columns, style)) print(line);
      print('');
    },
    end: (ok, text) => print((ok ? green : red)(visible(text))),
    pause: nothing,
    resume: nothing,
  };
}

/** Reports one JSON object per line, for a program. */
export function jsonReporter(print: (line: string) => void): Reporter {
  const say = (type: string, members: object): void => print(jsonLine({ type, ...members }));
  return {
    walk: (title) => say('walk', { title }),
    step: (title) => say('step', { title }),
    part: (title) => say('part', { title }),
    message: ({ at, direction, text, message, what, section, exchange, event }) =>
      say('message', { at, direction, ...message === undefined ? { text } : { message }, what, section, exchange, event }),
    http: (seen) => say('http', seen),
    note: (text) => say('note', { text }),
    stderr: (line) => say('stderr', { line }),
    problem: (text) => say('problem', { text }),
    result: (row) => say('result', row),
    summary: (title, rows) => say('summary', { title, rows }),
    end: (ok, text) => say('end', { ok, text }),
    pause: () => {},
    resume: () => {},
  };
}

function summaryLines(
  rows: readonly Row[], columns: number, style: Pick<Style, 'green' | 'red' | 'dim' | 'bold'>,
): string[] {
  const { green, red, dim, bold } = style;
  const words = { ok: green('ok'), failed: red('FAILED'), absent: dim('–') };
  return table(
    ['step', 'result', 'messages', 'ms', 'what happened'],
    rows.map(({ step, outcome, messages, ms, detail }) =>
      [
        step, words[outcome], String(messages || ''), messages ? String(Math.round(ms)) : '', visible(detail),
      ]),
    { columns: Math.min(columns, 160), right: [2, 3], head: bold },
  );
}
