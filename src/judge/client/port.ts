// The client judge's interface to the outside: it starts the program, and brings the messages of the client.

/** The connection between the judged client and the hidden server. */
export type ClientWay = 'pipe' | 'http';

/** An event stream that answers an HTTP request. */
export interface HiddenStream {
  /** Writes the text of one or more events, unchanged. */
  write(text: string): void;
  /** Ends the stream. */
  end(): void;
  /** Cuts the connection. */
  cut(): void;
}

/** One HTTP request of the client. */
export interface HiddenRequest {
  /** Counts the requests of a visit from 1. */
  readonly number: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Unchanged values by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether the body was UTF-8. */
  readonly utf8: boolean;
  /** Answers with a complete body. */
  respond(status: number, headers: Readonly<Record<string, string>>, body?: string): void;
  /** Answers with an event stream. */
  stream(headers: Readonly<Record<string, string>>): HiddenStream;
}

/** How a client ends its server over a pipe: it closes the input, sends SIGTERM, or kills it. */
export type Leaving = 'input' | 'signal' | 'killed';

/** Events of the running program. */
export interface ClientEvents {
  /** A line on the input of the hidden server. */
  line(text: string): void;
  /** Bytes came that are not text. */
  unreadable(why: string): void;
  /** The client ends the hidden server over a pipe. */
  left(how: Leaving): void;
  /** A request to the hidden server over HTTP. It must be answered. */
  request(request: HiddenRequest): void;
}

/** A running program. */
export interface StartedClient {
  /** Resolves once the program has ended, with a description of how. */
  readonly ended: Promise<string>;
  /** Writes text to the output of the hidden server, unchanged. */
  write(text: string): void;
  /** Writes bytes, which need not be UTF-8. Without this method, the UTF-8 rule is not seen over a pipe. */
  writeBytes?(bytes: Uint8Array): void;
  /** Over HTTP: the address of the hidden server. */
  readonly url: string | undefined;
  /** Ends the program, its child processes and the hidden server. */
  stop(): Promise<void>;
}

/** Options for starting a program. */
export interface StartOptions {
  /** Whether the hidden server keeps running when its input is closed, and on SIGTERM. */
  readonly stays: boolean;
}

/** The client to judge. */
export interface JudgedClient {
  /** Its display name: the command. */
  readonly name: string;
  /** The ways for which its command has a placeholder. */
  readonly ways: readonly ClientWay[];
  /** Starts the program again. Rejects if it cannot be started. */
  start(way: ClientWay, events: ClientEvents, how: StartOptions): Promise<StartedClient>;
}
