import { isObject } from '../jsonrpc/codec.ts';

/** What a handler may need of a client of its: what it will ask. */
export type Need = 'elicitation' | 'elicitation.url' | 'sampling' | 'sampling.tools' | 'roots';

/** What definitions of tools, prompts and resources share besides what is listed of them. */
export interface Guarded {
  /**
   * What the handler will ask of the client. A client that lacks it gets `-32021` (HTTP status 400) before the
   * handler runs; a model before 2026-07-28 reads it as the tool's error. Of use with `asking` alone: other
   * handlers cannot ask.
   */
  readonly needs?: readonly Need[];
  /**
   * Scopes that the caller's token must reach, where the transport authenticates: 403 otherwise. An HTTP server
   * without `auth` does not start; over stdio they are not checked. Never listed.
   */
  readonly scopes?: readonly string[];
  /** Whatever else stands around handlers or filters lists by. Never listed. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The error for a definition that is none. */
export const definitionFault = (kind: string, name: unknown, why: string): TypeError =>
  new TypeError(`${kind} ${JSON.stringify(name)}: ${why}`);

/**
 * Throws a TypeError, in words for an author without a type checker, for a definition or a handler that is
 * none.
 */
export function checkDefinition(
  kind: string, name: unknown, definition: unknown, handler: unknown, known: string,
): void {
  if (typeof name !== 'string' || !isObject(definition) || typeof handler !== 'function') {
    throw definitionFault(kind, name, `expected (name, definition, handler), not (${[name, definition, handler].map((one) => typeof one).join(', ')})`);
  }
  const members = `${known} _meta icons needs scopes data`.split(' ');
  const stray = Object.keys(definition).find((key) => !members.includes(key));
  if (stray !== undefined) throw definitionFault(kind, name, `"${stray}" is no member of a definition, which has ${members.join(', ')}`);
}
