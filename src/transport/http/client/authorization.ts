/**
 * Gets the HTTP transport in: `httpTransport(url, { auth })`. It is asked for every POST, GET and DELETE, and
 * for each hop of a redirect within the origin; credentials never go to another origin.
 */
export interface HttpAuthorization {
  /**
   * Header fields for a request that is about to be sent (`Authorization`, `DPoP`). They win over those of the
   * option `headers`. A throw fails the request with that error.
   */
  headers(request: HttpTarget): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /**
   * The server refused with 401 or 403, or with 400 and a challenge that says `use_dpop_nonce`. True: the request is sent again, with
   * headers that are asked for anew, three times at most. False: the request fails with an `HttpError`. A throw
   * fails the request with that error.
   */
  refused(answer: HttpRefusal): Promise<boolean>;
  /** A 2xx came: a chance to read a `DPoP-Nonce`. */
  accepted?(answer: Pick<HttpRefusal, 'url' | 'header'>): void;
  /**
   * Names whose credentials are in use, for the client's cache: what one got is never given to another. Asked
   * before each cached result is given. Default: the value of `authorization` that was sent last.
   */
  context?(): string | Promise<string>;
}

/** Where a request goes. `url` is without a fragment. */
export interface HttpTarget {
  readonly method: string;
  readonly url: string;
}

/** A refusal that credentials may mend. */
export interface HttpRefusal extends HttpTarget {
  readonly status: number;
  /** The value of a header field, by its name in lower case. */
  header(name: string): string | undefined;
  /** The start of the body: 1000 bytes. */
  readonly body: string;
  /** The very object that `headers` gave for the request that was refused. */
  readonly sent: Readonly<Record<string, string>>;
  /** 1 for the first refusal of this request. */
  readonly attempt: number;
}

/** Carries what an `HttpAuthorization` threw past everything that judges failures of the network. */
export class AuthorizationFailed {
  readonly thrown: unknown;

  constructor(thrown: unknown) {
    this.thrown = thrown;
  }
}
