/**
 * Remembers the last failed login for the requests that were in flight then, so that a person who refused is not asked
 * again for each concurrent request.
 */
export interface FailedLogin {
  /** Call this when a request is sent with these header fields. */
  sent(fields: object): void;
  note(error: unknown): void;
  /** Throws the last failure if the request with these fields was in flight then. */
  check(fields: object): void;
}

/** Makes an empty memory of failed logins. */
export function createFailedLogin(): FailedLogin {
  /** The number of the request that has these header fields. */
  const numbers = new WeakMap<object, number>();
  let requests = 0;
  let last: { readonly error: unknown; readonly requests: number } | undefined;
  return {
    sent(fields) {
      numbers.set(fields, ++requests);
    },
    note(error) {
      last = { error, requests };
    },
    check(fields) {
      if (last && (numbers.get(fields) ?? Infinity) <= last.requests) throw last.error;
    },
  };
}
