/**
 * Provides credentials for the HTTP transport: `httpTransport(url, { auth })`. It is called for every POST, GET and DELETE,
 * and for each redirect within the origin; credentials never go to another origin.
 */
export interface HttpAuthorization {
  /**
   * Returns header fields for a request that is about to be sent (`Authorization`, `DPoP`). They replace those of the
   * option `headers`. If it throws, the request fails with that error.
   */
  headers(request: HttpTarget): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /**
   * Called when the server answers 401 or 403, or 400 with a challenge that contains `use_dpop_nonce`. True: the request is
   * sent again with new headers, at most three times. False: the request fails with an `HttpError`. If it throws, the
   * request fails with that error.
   */
  refused(answer: HttpRefusal): Promise<boolean>;
  /** Called after a status below 300, for example to read a `DPoP-Nonce`. */
  accepted?(answer: Pick<HttpRefusal, 'url' | 'header'>): void;
  /**
   * Names the user of the credentials, for the client's cache: a result of one user is never given to another. Called
   * before each cached result is used. Default: the value of `authorization` that was sent last.
   */
  context?(): string | Promise<string>;
}

/** The target of a request. `url` has no fragment. */
export interface HttpTarget {
  readonly method: string;
  readonly url: string;
}

/** A refusal that other credentials may resolve. */
export interface HttpRefusal extends HttpTarget {
  readonly status: number;
  /** The value of a response header, by its lower-case name. */
  header(name: string): string | undefined;
  /** The start of the body: 1000 bytes. */
  readonly body: string;
  /** The same object that `headers` returned for the refused request. */
  readonly sent: Readonly<Record<string, string>>;
  /** 1 for the first refusal of this request. */
  readonly attempt: number;
}

/** Wraps an error that `HttpAuthorization` threw, so that it is not treated as a network failure. */
export class AuthorizationFailed {
  readonly thrown: unknown;

  constructor(thrown: unknown) {
    this.thrown = thrown;
  }
}
