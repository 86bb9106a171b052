/** The byte stream of a connection: a socket, or a pair of streams. None of its functions may throw. */
export interface Pipe {
  /** Writes text as UTF-8, or, if `latin1`, one octet for each character. */
  write(text: string, latin1: boolean): void;
  /** Ends this side after all written octets; the other side may go on. */
  end(): void;
  /** Breaks off the connection; written octets may be lost. */
  destroy(): void;
  /** Asks for no more octets, until `resume`. Those that still come are taken. */
  pause(): void;
  /** Asks for octets again. */
  resume(): void;
  /** Octets that were written and not sent yet. */
  readonly buffered: number;
}
