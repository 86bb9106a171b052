/** The exit codes of the command. Stable, since scripts rely on them. */
export const exitCodes = {
  good: 0,
  /** The server or the tool failed. */
  failed: 1,
  /** The command line is wrong. */
  wrongUse: 2,
  /** Consent was refused, or nobody could be asked. */
  refused: 3,
  /** The server could not be reached. */
  notReached: 4,
  /** A server differs from `mcp.lock`. */
  notLocked: 5,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

/** A wrong command line: prints `barewire: <message>`, exit code 2. */
export class WrongUse extends Error {}

/** Consent was not given: exit code 3. */
export class Refused extends Error {}

/** Whether an error is the `HostError` for a folder's file that was not accepted (exit code 3). By code, to avoid loading the class. */
export const isNotAccepted = (thrown: unknown): boolean => thrown instanceof Error && 'code' in thrown && thrown.code === 'not-accepted';

/** A server that could not be reached: exit code 4. With another `code`: it was reached, and did not answer. */
export class NotReached extends Error {
  /** The reason, perhaps in the server's words: it is shown in a frame. */
  readonly said: string;
  readonly code: number;

  constructor(message: string, said: string = '', code: number = exitCodes.notReached) {
    super(message);
    this.said = said;
    this.code = code;
  }
}
