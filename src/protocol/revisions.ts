/** `legacy`: with a handshake, until 2025-11-25. `modern`: stateless, since 2026-07-28. */
export type Era = 'legacy' | 'modern';

/** A revision of the protocol. columns.ts says what differs between revisions. */
export interface Revision {
  readonly version: string;
  /** 2026-07-28 basic/versioning#terminology: a handshake and a session, or metadata in every request. */
  readonly era: Era;
  /** Its place in the order of revisions: 0 is the oldest. */
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

/** Their names on the wire. */
export const versionsOf = (among: readonly Revision[]): string[] => among.map(({ version }) => version);

export function findRevision(among: readonly Revision[], version: unknown): Revision | undefined {
  return among.find((revision) => revision.version === version);
}
