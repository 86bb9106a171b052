import type { Listener } from './extension.ts';

/** What is listed, by the member of the list's result. */
export type ListedKind = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

/**
 * Hides entries from some requesters: what is hidden is neither listed nor found. Lists are made once for
 * each distinct key and are private to it. 2026-07-28 server/tools#capabilities: what is listed may depend on
 * who is authorized, never on the connection.
 */
export interface ListFilter {
  /** All that `shows` depends on, as a text, such as the scopes of `requester.auth` in order. */
  key(requester: Listener): string;
  /** `name` is a tool's or prompt's name, a resource's URI, or a template. */
  shows(kind: ListedKind, name: string, definition: object, requester: Listener): boolean;
}
