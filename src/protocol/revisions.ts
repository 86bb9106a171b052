/** `legacy`: with a handshake, until 2025-11-25. `modern`: stateless, since 2026-07-28. */
export type Era = 'legacy' | 'modern';

/**
 * Everything that differs between two revisions, a row each: the first has what it is not without, each of the others is
 * the one before it and what it changed. A column that is not there is false. Code asks a column and never compares
 * versions.
 * Source: the changelog.mdx of each revision, and its schema.ts.
 */
export interface Revision {
  readonly version: string;
  /** 2026-07-28 basic/versioning#terminology: a handshake and a session, or metadata in every request. */
  readonly era: Era;
  /** JSON-RPC batches may be sent and must be received. */
  readonly batching?: boolean;
  /**
   * An error that answers no known request has `"id": null` (JSON-RPC 2.0, section 5); otherwise it has no id.
   * Source: `JSONRPCError` and `JSONRPCErrorResponse` in each schema.ts.
   */
  readonly nullErrorId: boolean;
  /** HTTP is one endpoint; before, a pair of them (HTTP+SSE). */
  readonly streamableHttp?: boolean;
  /** After the handshake, HTTP requests carry `MCP-Protocol-Version`. */
  readonly versionHeader?: boolean;
  /**
   * An SSE stream begins with an event that primes the client to reconnect, and may be closed to be polled.
   */
  readonly ssePolling?: boolean;
  /** `annotations` on tools. */
  readonly toolAnnotations?: boolean;
  /** Audio content. */
  readonly audio?: boolean;
  /** The `completions` capability is declared. */
  readonly completionsCapability?: boolean;
  /** `message` in progress notifications. */
  readonly progressMessage?: boolean;
  /** `title` beside `name`, and `_meta` on what is listed. */
  readonly titles?: boolean;
  /** Tool output that fits a schema: none, an object, or any JSON value. */
  readonly structuredContent?: 'object' | 'any';
  /** Resource links in content. */
  readonly resourceLinks?: boolean;
  /** `context` in completion requests. */
  readonly completionContext?: boolean;
  /** Elicitation by form. */
  readonly elicitation?: boolean;
  /** Forms with titled choices, choices of several, and defaults for every type. */
  readonly richForms?: boolean;
  /** Elicitation by URL. */
  readonly urlElicitation?: boolean;
  /** `elicitationId` in URL elicitation, and the notification that it is complete. */
  readonly elicitationId?: boolean;
  /** Tools in sampling requests, and several content blocks a message. */
  readonly samplingTools?: boolean;
  /** Icons, and `description` and `websiteUrl` of an implementation. */
  readonly icons?: boolean;
  /**
   * Arguments that break a tool's input schema: an error answer, or a result that the model can learn from.
   */
  readonly inputErrors: 'protocol' | 'result';
  /** The code for a resource that does not exist. */
  readonly resourceNotFound: -32002 | -32602;
  /** `resultType` and the server's identity in every result. */
  readonly resultType?: boolean;
  /** `ttlMs` and `cacheScope` on what can be cached. */
  readonly cacheHints?: boolean;
  /** `extensions` among the capabilities. */
  readonly extensions?: boolean;
  /** Tasks are part of the core, and tools say in `execution` whether they may be called as one. */
  readonly coreTasks?: boolean;
}

const r2024_11_05: Revision = {
  version: '2024-11-05',
  era: 'legacy',
  nullErrorId: true,
  inputErrors: 'protocol',
  resourceNotFound: -32002,
};

const r2025_03_26: Revision = {
  ...r2024_11_05,
  version: '2025-03-26',
  batching: true,
  streamableHttp: true,
  toolAnnotations: true,
  audio: true,
  completionsCapability: true,
  progressMessage: true,
};

const r2025_06_18: Revision = {
  ...r2025_03_26,
  version: '2025-06-18',
  batching: false,
  versionHeader: true,
  titles: true,
  structuredContent: 'object',
  resourceLinks: true,
  completionContext: true,
  elicitation: true,
};

const r2025_11_25: Revision = {
  ...r2025_06_18,
  version: '2025-11-25',
  nullErrorId: false,
  ssePolling: true,
  richForms: true,
  urlElicitation: true,
  elicitationId: true,
  samplingTools: true,
  icons: true,
  inputErrors: 'result',
  coreTasks: true,
};

const r2026_07_28: Revision = {
  ...r2025_11_25,
  version: '2026-07-28',
  era: 'modern',
  ssePolling: false,
  structuredContent: 'any',
  elicitationId: false,
  resourceNotFound: -32602,
  resultType: true,
  cacheHints: true,
  extensions: true,
  coreTasks: false,
};

/** Newest first: the order of preference. */
export const revisions: readonly Revision[] = [
  r2026_07_28, r2025_11_25, r2025_06_18, r2025_03_26, r2024_11_05,
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

export function findRevision(among: readonly Revision[], version: unknown): Revision | undefined {
  return among.find((revision) => revision.version === version);
}

/**
 * The revision that answers `initialize`: the one asked for, otherwise the newest that the server has;
 * undefined where it has no legacy revision at all. 2025-11-25 basic/lifecycle#version-negotiation.
 */
export function negotiate(served: readonly Revision[], requested: unknown): Revision | undefined {
  const legacy = served.filter(({ era }) => era === 'legacy');
  return findRevision(legacy, requested) ?? legacy[0];
}
