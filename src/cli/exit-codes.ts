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
  /** A server is not what `mcp.lock` says. */
  notLocked: 5,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

/** Wrong words on the command line: `barewire: <message>`, and exit code 2. */
export class WrongUse extends Error {}

/** Consent that was not given: exit code 3. */
export class Refused extends Error {}

/** A folder's file of servers that was not accepted, a `HostError`: exit code 3. Its class is loaded only where it is used. */
export const isNotAccepted = (thrown: unknown): boolean => thrown instanceof Error && 'code' in thrown && thrown.code === 'not-accepted';

/** A server that could not be reached: exit code 4. */
export class NotReached extends Error {
  /** Why, perhaps in the words of the server: they are shown in a frame. */
  readonly said: string;

  constructor(message: string, said: string = '') {
    super(message);
    this.said = said;
  }
}
