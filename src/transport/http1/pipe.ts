/** What carries the octets of a connection: a socket, or a pair of streams. None of its functions may throw. */
export interface Pipe {
  /** Writes text as UTF-8, or, where `latin1`, an octet a character. */
  write(text: string, latin1: boolean): void;
  /** Ends this side, after all that was written; the other side may go on. */
  end(): void;
  /** Breaks the connection off; what was written may be lost. */
  destroy(): void;
  /** Asks for no more octets, until `resume`. Those that come all the same are taken. */
  pause(): void;
  /** Asks for octets again. */
  resume(): void;
  /** Bytes that were written and are not taken yet. */
  readonly buffered: number;
}
