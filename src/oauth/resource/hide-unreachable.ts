import type { Auth } from '../../transport/port.ts';

/** Whoever asks for a list, as far as it matters here. */
interface Requester {
  readonly auth: Auth | undefined;
}

/** A filter of lists, for the `listFilter` of a server. */
export interface ScopeFilter {
  /** Callers with the same key see the same lists. */
  key(requester: Requester): string;
  /** Whether this caller may see this entry. */
  shows(kind: string, name: string, definition: object, requester: Requester): boolean;
}

/**
 * Hides what the caller's scopes do not reach, from lists and from calls: `new McpServer(info, { listFilter:
 * hideUnreachable })`. Without it everything is listed, a call gets 403 with the scopes that it needs, and the client
 * can ask its person for them: leave it so unless the names themselves are secret. Lists are made once for each set of
 * scopes and are private (2026-07-28 server/utilities/caching).
 */
export const hideUnreachable: ScopeFilter = {
  key({ auth }) {
    const scopes = auth?.['scopes'];
    // What credentials of another kind reach is known by whose they are.
    return Array.isArray(scopes) ? [...scopes as unknown[]].sort().join(' ') : auth?.principal ?? '';
  },
  shows(_kind, _name, definition, { auth }) {
    const { scopes } = definition as { readonly scopes?: readonly string[] };
    if (!scopes || !auth) return true;
    const held = auth['scopes'];
    return auth.lacks ? !auth.lacks(scopes) : Array.isArray(held) && scopes.every((scope) => held.includes(scope));
  },
};
