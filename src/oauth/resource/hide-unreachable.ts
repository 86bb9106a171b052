import type { Auth } from '../../transport/internal-exports.ts';
import { reachOf } from './reach.ts';

/** The sender of a list request, with the members used here. */
interface ListRequester {
  readonly auth: Auth | undefined;
}

/** A filter for the `listFilter` of a server. */
export interface ScopeFilter {
  /** Callers with the same key see the same lists. */
  key(requester: ListRequester): string;
  /** Whether this caller may see this entry. */
  shows(kind: string, name: string, definition: object, requester: ListRequester): boolean;
}

/** A number for each credentials object whose `lacks` is not from `bearer`, since its result may depend on anything. */
const numbers = new WeakMap<Auth, number>();
let counted = 0;

function numberOf(auth: Auth): number {
  const known = numbers.get(auth) ?? ++counted;
  numbers.set(auth, known);
  return known;
}

/**
 * Hides entries that need scopes which the caller lacks, from lists and from calls: `new McpServer(info, { listFilter:
 * hideUnreachable })`. Without it, everything is listed, a call gets 403 with the required scopes, and the client can ask
 * its person for them. Prefer that unless the names themselves are secret. A list is made once for each set of scopes
 * (for credentials with the author's own `lacks`, once for each request) and is private (2026-07-28
 * server/utilities/caching).
 */
export const hideUnreachable: ScopeFilter = {
  // The first word distinguishes the kinds of credentials: a scope may be named like a person, and a caller without
  // credentials differs from one without scopes.
  key({ auth }) {
    if (!auth) return 'everything';
    const { lacks } = auth;
    if (lacks) {
      const reach = reachOf(lacks);
      return reach === undefined ? `credentials ${numberOf(auth)}` : `token ${reach}`;
    }
    const scopes: unknown = auth['scopes'];
    const held = Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : [];
    return `scopes ${JSON.stringify([...new Set(held)].sort())}`;
  },
  shows(_kind, _name, definition, { auth }) {
    const { scopes } = definition as { readonly scopes?: readonly string[] };
    if (!scopes?.length || !auth) return true;
    const held = auth['scopes'];
    return auth.lacks ? !auth.lacks(scopes) : Array.isArray(held) && scopes.every((scope) => held.includes(scope));
  },
};
