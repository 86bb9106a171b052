// Sends numbers with the digits that a person typed, even if `JSON.stringify` would write others. In arguments such a number is a string
// with a mark, which the transport replaces by the digits. Each host makes a random mark, so that no text from outside contains it.
import type { ClientTransport, Outgoing } from 'barewire/client';
import { fitting, replaced } from '../json/lexemes.ts';
import type { Lexemes } from '../json/lexemes.ts';
import { isJsonNumber, numberOf } from '../json/number.ts';

type Bag = Readonly<Record<string, unknown>>;

const bag = (value: unknown): Bag => (typeof value === 'object' && value !== null && !Array.isArray(value) ? value as Bag : {});

/** The most answers of one server that wait to be sent with their digits. */
const maxAnswers = 100;

interface Waiting {
  readonly content: Bag;
  readonly lexemes: Lexemes;
}

export interface ExactNumbers {
  /** Arguments for a client: numbers that JavaScript would write otherwise are marked. */
  marked(args: Bag, lexemes: Lexemes): Bag;
  /** Announces that the content of a form will be sent to this server, with these numbers as they were typed. */
  answered(server: string, content: Bag, lexemes: Lexemes): void;
  /** Wraps a transport, so that it writes the digits. */
  around(server: string, inner: ClientTransport): ClientTransport;
}

export function exactNumbers(): ExactNumbers {
  const mark = `number-${crypto.randomUUID()}:`;
  const marked = new RegExp(`"${mark}([^"]*)"`, 'g');
  const waiting = new Map<string, Waiting[]>();

  function lexemeIn(value: unknown): string | undefined {
    return typeof value === 'string' && value.startsWith(mark) ? value.slice(mark.length) : undefined;
  }

  function unmarked(value: unknown): unknown {
    const lexeme = lexemeIn(value);
    if (lexeme !== undefined) return numberOf(lexeme);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(unmarked);
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, unmarked(one)]));
  }

  function unmarkedMessage(message: Outgoing): Outgoing {
    // 2026-07-28 basic/transports/streamable-http#custom-headers-from-tool-parameters: an integer is mirrored where it is a safe one.
    const headers = Object.entries(message.headers ?? {}).flatMap(([name, value]): readonly (readonly [string, string])[] => {
      const lexeme = lexemeIn(value);
      if (lexeme === undefined) return [[name, value]];
      const number = Number(lexeme);
      return Number.isSafeInteger(number) ? [[name, String(number)]] : [];
    });
    return {
      ...message,
      ...message.params && { params: unmarked(message.params) as Bag },
      ...message.headers && { headers: Object.fromEntries(headers) },
    };
  }

  /** Writes the digits of answers into a message; `contentsOf` finds the places. */
  function withAnswers(server: string, text: string): string {
    const found = waiting.get(server);
    if (!found || !text.includes('"accept"')) return text;
    let message: unknown = JSON.parse(text);
    for (const content of contentsOf(message)) {
      const at = found.findIndex((one) => Object.keys(one.lexemes).every((path) => content[path.slice(1)] === one.content[path.slice(1)]));
      const [one] = at < 0 ? [] : found.splice(at, 1);
      if (one) message = substitute(message, content, replaced(content, one.lexemes, (lexeme) => mark + lexeme));
    }
    if (found.length === 0) waiting.delete(server);
    return JSON.stringify(message);
  }

  return {
    marked: (args, lexemes) => replaced(args, fitting(args, lexemes), (lexeme) => mark + lexeme) as Bag,
    answered(server, content, lexemes) {
      // 2025-11-25 client/elicitation#requested-schema: a form is flat.
      const flat = Object.fromEntries(Object.entries(fitting(content, lexemes)).filter(([path]) => /^\/[^/~]*$/.test(path)));
      if (Object.keys(flat).length === 0) return;
      waiting.set(server, [...waiting.get(server) ?? [], { content, lexemes: flat }].slice(-maxAnswers));
    },
    around: (server, inner) => ({
      ...inner,
      send(text, message) {
        const ready = withAnswers(server, text);
        if (!ready.includes(mark)) return inner.send(ready, message);
        inner.send(ready.replaceAll(marked, (whole, lexeme: string) => (isJsonNumber(lexeme) ? lexeme : whole)), message && unmarkedMessage(message));
      },
    }),
  };
}

/** The contents of accepted forms in a message: in a response, or in the answers of a retry (2026-07-28 basic/patterns/mrtr). */
function contentsOf(message: unknown): Bag[] {
  const { result, params } = bag(message);
  return [result, ...Object.values(bag(bag(params)['inputResponses']))].map((one) => bag(bag(one)['content'])).filter((content) => Object.keys(content).length > 0);
}

/** A copy of `value` in which `other` replaces the object `old`. */
function substitute(value: unknown, old: object, other: unknown): unknown {
  if (value === old) return other;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => substitute(one, old, other));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, substitute(one, old, other)]));
}
