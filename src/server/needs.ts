import { AccessDenied } from '../transport/port.ts';
import type { Auth } from '../transport/port.ts';

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

/**
 * Throws where the caller's credentials do not reach the definition's scopes. On a pipe there are none, and
 * nothing is checked: whoever started the program may use it.
 */
export function checkScopes({ scopes = [] }: Guarded, { auth }: { readonly auth: Auth | undefined }): void {
  if (!auth || scopes.length === 0) return;
  const held = auth['scopes'];
  if (!auth.lacks && Array.isArray(held) && scopes.every((scope) => held.includes(scope))) return;
  // What cannot say that it reaches them does not.
  const refusal = auth.lacks ? auth.lacks(scopes) : {
    status: 403 as const,
    challenge: `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`,
    message: `insufficient scope, expected ${scopes.join(' ')}`,
    code: 'insufficient_scope',
  };
  if (refusal) throw new AccessDenied(refusal);
}

/**
 * Throws a TypeError, in words for an author without a type checker, for a definition or a handler that is
 * none.
 */
export function checkDefinition(
  kind: string, name: unknown, definition: unknown, handler: unknown, known: string,
): void {
  const fault = (why: string): TypeError => new TypeError(`${kind} ${JSON.stringify(name)}: ${why}`);
  if (typeof name !== 'string') throw fault('the name must be a string');
  if (typeof definition !== 'object' || definition === null) {
    throw fault(`expected (name, definition, handler), and the definition is a ${typeof definition}`);
  }
  if (typeof handler !== 'function') throw fault(`the handler must be a function, not a ${typeof handler}`);
  const members = `${known} _meta icons needs scopes data`.split(' ');
  const stray = Object.keys(definition).find((key) => !members.includes(key));
  if (stray !== undefined) throw fault(`"${stray}" is no member of a definition, which has ${members.join(', ')}`);
}
