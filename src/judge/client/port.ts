// What the judge of clients needs of the outside: somebody who starts the program, and brings what it sends.

/** What carries messages between the client under judgement and the hidden server. */
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
  /** Counts the requests of one visit from 1. */
  readonly number: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** By lower-case name, as they came. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether the body was UTF-8. */
  readonly utf8: boolean;
  /** Answers with a whole body. */
  respond(status: number, headers: Readonly<Record<string, string>>, body?: string): void;
  /** Answers with an event stream. */
  stream(headers: Readonly<Record<string, string>>): HiddenStream;
}

/** How a client ends its server over a pipe: it closes the input, sends SIGTERM, or kills it. */
export type Leaving = 'input' | 'signal' | 'killed';

/** What the program does. */
export interface ClientEvents {
  /** A line on the input of the hidden server. */
  line(text: string): void;
  /** Bytes that are no text. */
  unreadable(why: string): void;
  /** The client ends the hidden server over a pipe. */
  left(how: Leaving): void;
  /** A request to the hidden server over HTTP, which has to be answered. */
  request(request: HiddenRequest): void;
}

/** A program that runs. */
export interface StartedClient {
  /** Resolves once the program has ended, with how. */
  readonly ended: Promise<string>;
  /** Writes text to the output of the hidden server, unchanged. */
  write(text: string): void;
  /** The same for bytes, which need not be UTF-8. Without it the rule about UTF-8 is not seen over a pipe. */
  writeBytes?(bytes: Uint8Array): void;
  /** Over HTTP: the address of the hidden server. */
  readonly url: string | undefined;
  /** Ends the program and all that belongs to it. */
  stop(): Promise<void>;
}

/** How a program is started. */
export interface StartOptions {
  /** Whether the hidden server stays when its input is closed, and on SIGTERM. */
  readonly stays: boolean;
}

/** The client that is judged. */
export interface JudgedClient {
  /** Its name for people: the command. */
  readonly name: string;
  /** The ways that its command has a place for. */
  readonly ways: readonly ClientWay[];
  /** Starts the program once more. Rejects where it cannot be started. */
  start(way: ClientWay, events: ClientEvents, how: StartOptions): Promise<StartedClient>;
}
