/** An HTTP response that is neither a message nor a stream. */
export class HttpError extends Error {
  readonly status: number;
  /** The start of the body, for a person. */
  readonly body: string;
  /** Returns the value of a response header by its lower-case name; undefined if the response does not have it. */
  readonly header: (name: string) => string | undefined;

  constructor(
    status: number, body: string, message: string = `HTTP ${status}`,
    header: (name: string) => string | undefined = () => undefined,
  ) {
    super(body === '' ? message : `${message}: ${body.slice(0, 200)}`);
    this.name = 'HttpError';
    this.status = status;
    this.body = body;
    this.header = header;
  }
}

/** The server no longer knows the session. 2025-11-25 basic/transports#session-management. */
export class SessionExpired extends HttpError {
  constructor(body: string) {
    super(404, body, 'the session has expired');
    this.name = 'SessionExpired';
  }
}

/** Wraps an error that `HttpAuthorization` threw, so that it is not treated as a network failure. */
export class AuthorizationFailed {
  readonly thrown: unknown;

  constructor(thrown: unknown) {
    this.thrown = thrown;
  }
}
