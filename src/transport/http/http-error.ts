/** An HTTP answer that is neither a message nor a stream. */
export class HttpError extends Error {
  readonly status: number;
  /** The start of the body, for a person. */
  readonly body: string;
  /** The value of a header field of the answer, by its name in lower case; undefined where it has none. */
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

/** The server does not know the session any more. 2025-11-25 basic/transports#session-management. */
export class SessionExpired extends HttpError {
  constructor(body: string) {
    super(404, body, 'the session has expired');
    this.name = 'SessionExpired';
  }
}
