// HTTP transcripts: requests, response heads and bodies, and events of streams, with explaining prose. See README.md in this folder for
// their format.
import { parseJson } from '../../src/transcript/transcript.ts';

interface Step {
  /** Number that a request, its response and the events of its stream share. */
  readonly exchange: number;
  /** The line in the file, counted from 1, for error messages. */
  readonly at: number;
}

/** A request of the client. */
export interface RequestStep extends Step {
  readonly kind: 'request';
  readonly method: string;
  readonly path: string;
  /** By lower-case name. Header fields that are not listed may have any value. */
  readonly headers: ReadonlyMap<string, string>;
  /** JSON with placeholders; undefined without a body. */
  readonly body: unknown;
}

/** The head of a response, and the body if it is not a stream. */
export interface ResponseStep extends Step {
  readonly kind: 'response';
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: unknown;
}

/** One event of a stream. */
export interface EventStep extends Step {
  readonly kind: 'event';
  /** `id`, `event`, `retry`. A field that is not listed must be absent. */
  readonly fields: ReadonlyMap<string, string>;
  /** JSON with placeholders; text if the line says `data:`; undefined for an event without data. */
  readonly data: unknown;
  readonly text: string | undefined;
}

/** The server ends a stream, or the connection is cut. */
export interface EndStep extends Step {
  readonly kind: 'end' | 'cut';
}

/** The server restarts at the same address, without its sessions. */
export interface RestartStep extends Step {
  readonly kind: 'restart';
}

export type HttpStep = RequestStep | ResponseStep | EventStep | EndStep | RestartStep;

export interface HttpTranscript {
  readonly defined: ReadonlyMap<string, unknown>;
  readonly steps: readonly HttpStep[];
  /** The first paragraph of the prose. */
  readonly title: string;
}

const stepPattern = /^(-->|<--|-x-) (\d+) ?(.*)$/;

/** Reads a transcript. Throws an error with the line number for a line that is neither prose nor a step. */
export function parseHttpTranscript(text: string): HttpTranscript {
  const defined = new Map<string, unknown>();
  const steps: HttpStep[] = [];
  const prose: string[] = [];
  const source = text.split('\n');
  for (let at = 0; at < source.length; at++) {
    const line = source[at] ?? '';
    const begins = at + 1;
    const definition = /^(<[a-z][a-z0-9 -]*>) is (.*)$/.exec(line);
    const step = stepPattern.exec(line);
    if (line === '<-x restart') {
      steps.push({ kind: 'restart', exchange: 0, at: begins });
      continue;
    }
    if (!definition && !step) {
      if (/^\s*(-|<|\{)/.test(line)) throw new SyntaxError(`line ${begins} is neither prose nor a step`);
      prose.push(line);
      continue;
    }
    const belonging: string[] = [];
    while (/^ +\S/.test(source[at + 1] ?? '')) belonging.push(source[++at]?.trim() ?? '');
    if (definition) defined.set(definition[1] ?? '', parseJson([definition[2], ...belonging].join(' '), begins));
    else if (step) steps.push(readStep(step, belonging, begins));
  }
  const title = prose.join('\n').trim().split('\n\n')[0] ?? '';
  return { defined, steps, title: title.replaceAll('\n', ' ') };
}

function readStep([, arrow, number, what = '']: RegExpExecArray, lines: readonly string[], at: number): HttpStep {
  const exchange = Number(number);
  const begin = lines.findIndex((line) => /^[{[]/.test(line));
  const fields = new Map<string, string>();
  for (const line of begin < 0 ? lines : lines.slice(0, begin)) {
    const [, name, value] = /^([\w-]+): ?(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new SyntaxError(`line ${at}: ${line} is no field`);
    fields.set(name.toLowerCase(), value);
  }
  const body = begin < 0 ? undefined : parseJson(lines.slice(begin).join(' '), at);
  const [first = '', second] = what.split(' ');
  if (arrow === '-x-') return { kind: 'cut', exchange, at };
  if (arrow === '-->') {
    if (second === undefined) throw new SyntaxError(`line ${at}: a request needs a method and a path`);
    return { kind: 'request', exchange, at, method: first, path: second, headers: fields, body };
  }
  if (first === 'end') return { kind: 'end', exchange, at };
  if (first === 'event') {
    const text = fields.get('data');
    fields.delete('data');
    return { kind: 'event', exchange, at, fields, data: body, text };
  }
  if (!/^\d{3}$/.test(first)) throw new SyntaxError(`line ${at}: ${what} is neither a status nor an event nor the end`);
  return { kind: 'response', exchange, at, status: Number(first), headers: fields, body };
}

const placeholders = /<[a-z][a-z0-9 -]*>/g;

/** Replaces placeholders by their known values. Throws for a placeholder without a value. */
export function fillText(text: string, known: ReadonlyMap<string, unknown>): string {
  return text.replace(placeholders, (name) => {
    if (!known.has(name)) throw new Error(`nothing is known of ${name}`);
    return String(known.get(name));
  });
}

/**
 * Compares a text with an expected one, in which a placeholder takes the first value that it meets. Returns the difference, or undefined.
 */
export function textDifference(expected: string, got: string | undefined, known: Map<string, unknown>): string | undefined {
  if (got === undefined) return `expected ${expected}, and it is missing`;
  const names: string[] = [];
  const pattern = expected.split(/(<[a-z][a-z0-9 -]*>)/).map((part, index) => {
    if (index % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    if (part !== '<any>' && known.has(part)) return String(known.get(part)).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    names.push(part);
    return '(.+)';
  }).join('');
  const found = new RegExp(`^${pattern}$`).exec(got);
  if (!found) return `expected ${expected}, got ${got}`;
  names.forEach((name, index) => {
    if (name !== '<any>') known.set(name, found[index + 1] ?? '');
  });
  return undefined;
}
