/** How the command ends. Stable: scripts rely on them. */
export const exitCodes = {
  good: 0,
  /** The server or the tool failed. */
  failed: 1,
  /** The words of the command line are wrong. */
  wrongUse: 2,
  /** Consent was refused, or nobody was there to give it. */
  refused: 3,
  /** The server could not be reached. */
  notReached: 4,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

/** Wrong words on the command line: `barewire: <message>`, and exit code 2. */
export class WrongUse extends Error {}

/** Consent that was not given: exit code 3. */
export class Refused extends Error {}

/** A server that could not be reached: exit code 4. */
export class NotReached extends Error {}

/** A server whose result lacks what the command has to print: exit code 1. */
export class MalformedResult extends Error {}
