/** `legacy`: with a handshake, until 2025-11-25. `modern`: stateless, since 2026-07-28. */
export type Era = 'legacy' | 'modern';

/** A revision of the protocol. The functions below (columns) give the differences between revisions. */
export interface Revision {
  readonly version: string;
  /** 2026-07-28 basic/versioning#terminology: a handshake and a session, or metadata in every request. */
  readonly era: Era;
  /** The position in the order of revisions: 0 is the oldest. */
  readonly place: number;
}

/** Newest first: the order of preference. */
export const revisions: readonly Revision[] = [
  { version: '2026-07-28', era: 'modern', place: 4 },
  { version: '2025-11-25', era: 'legacy', place: 3 },
  { version: '2025-06-18', era: 'legacy', place: 2 },
  { version: '2025-03-26', era: 'legacy', place: 1 },
  { version: '2024-11-05', era: 'legacy', place: 0 },
];

/**
 * The rows for these versions, newest first; all of them without an argument.
 * Throws a RangeError for a version that is not in the table.
 */
export function selectRevisions(versions?: readonly string[]): readonly Revision[] {
  if (versions === undefined) return revisions;
  for (const version of versions) {
    if (!findRevision(revisions, version)) {
      throw new RangeError(`unknown protocol revision ${JSON.stringify(version)}`);
    }
  }
  return revisions.filter(({ version }) => versions.includes(version));
}

/** The version strings of revisions. */
export const versionsOf = (among: readonly Revision[]): string[] => among.map(({ version }) => version);

export function findRevision(among: readonly Revision[], version: unknown): Revision | undefined {
  return among.find((revision) => revision.version === version);
}

/**
 * The revision for the result of `initialize`: the requested one, otherwise the newest legacy revision of the server;
 * undefined if it has no legacy revision. 2025-11-25 basic/lifecycle#version-negotiation.
 */
export function negotiate(served: readonly Revision[], requested: unknown): Revision | undefined {
  const legacy = served.filter(({ era }) => era === 'legacy');
  return findRevision(legacy, requested) ?? legacy[0];
}

/**
 * The differences between revisions: one function for each difference (a column of the table). A bundle has only the
 * columns that it calls. Other code calls a column and never compares versions. Source: the changelog.mdx of each
 * revision, and its schema.ts.
 */

// The values of `place`.
const r2025_03_26 = 1;
const r2025_06_18 = 2;
const r2025_11_25 = 3;
const r2026_07_28 = 4;

/** JSON-RPC batches may be sent and must be received. */
export const batching = ({ place }: Revision): boolean => place === r2025_03_26;

/**
 * An error response without a known request id has `"id": null` (JSON-RPC 2.0, section 5); otherwise it has no `id`.
 * Source: `JSONRPCError` and `JSONRPCErrorResponse` in each schema.ts.
 */
export const nullErrorId = ({ place }: Revision): boolean => place <= r2025_06_18;

/** HTTP has one endpoint; the earlier revision has two (HTTP+SSE). */
export const streamableHttp = ({ place }: Revision): boolean => place >= r2025_03_26;

/** After the handshake, HTTP requests have the header `MCP-Protocol-Version`. */
export const versionHeader = ({ place }: Revision): boolean => place >= r2025_06_18;

/**
 * An SSE stream begins with an event with an id for reconnecting, and the server may close the stream so that the
 * client polls.
 */
export const ssePolling = ({ place }: Revision): boolean => place === r2025_11_25;

/** `annotations` on tools. */
export const toolAnnotations = ({ place }: Revision): boolean => place >= r2025_03_26;

/** Audio content. */
export const audio = ({ place }: Revision): boolean => place >= r2025_03_26;

/** The `completions` capability is declared. */
export const completionsCapability = ({ place }: Revision): boolean => place >= r2025_03_26;

/** `message` in progress notifications. */
export const progressMessage = ({ place }: Revision): boolean => place >= r2025_03_26;

/** `title` in addition to `name`, and `_meta` on listed items. */
export const titles = ({ place }: Revision): boolean => place >= r2025_06_18;

/** The type of `structuredContent`: none, an object, or any JSON value. */
export function structuredContent({ place }: Revision): 'object' | 'any' | undefined {
  if (place < r2025_06_18) return undefined;
  return place === r2026_07_28 ? 'any' : 'object';
}

/** Resource links in content. */
export const resourceLinks = ({ place }: Revision): boolean => place >= r2025_06_18;

/** `context` in completion requests. */
export const completionContext = ({ place }: Revision): boolean => place >= r2025_06_18;

/** Elicitation by form. */
export const elicitation = ({ place }: Revision): boolean => place >= r2025_06_18;

/** Forms with titled choices, multiple choice, and defaults for every type. */
export const richForms = ({ place }: Revision): boolean => place >= r2025_11_25;

/** Elicitation by URL. */
export const urlElicitation = ({ place }: Revision): boolean => place >= r2025_11_25;

/** `elicitationId` in URL elicitation, and the notification that it is complete. */
export const elicitationId = ({ place }: Revision): boolean => place === r2025_11_25;

/** Tools in sampling requests, and several content blocks in a message. */
export const samplingTools = ({ place }: Revision): boolean => place >= r2025_11_25;

/** Icons, and `description` and `websiteUrl` of an implementation. */
export const icons = ({ place }: Revision): boolean => place >= r2025_11_25;

/**
 * Arguments that break a tool's input schema give a result with `isError`, which the model can read, and not an error.
 */
export const inputErrorResults = ({ place }: Revision): boolean => place >= r2025_11_25;

/** The code for a resource that does not exist. */
export const resourceNotFound = ({ place }: Revision): -32002 | -32602 => place >= r2026_07_28 ? -32602 : -32002;

/** `resultType` and the server's info in every result. */
export const resultType = ({ place }: Revision): boolean => place >= r2026_07_28;

/** `ttlMs` and `cacheScope` on cacheable results. */
export const cacheHints = ({ place }: Revision): boolean => place >= r2026_07_28;

/** Tasks are part of the core, and tools have `execution.taskSupport`. */
export const coreTasks = ({ place }: Revision): boolean => place === r2025_11_25;
