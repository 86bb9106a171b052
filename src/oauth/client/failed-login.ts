/**
 * Remembers the login that failed last, for the requests that were under way then: a person who said no is not asked
 * again for each request of a storm.
 */
export interface FailedLogin {
  /** A request goes out with these header fields. */
  sent(fields: object): void;
  note(error: unknown): void;
  /** Throws the failure where the request with these fields was under way then. */
  check(fields: object): void;
}

/** Makes what remembers; nothing has failed yet. */
export function createFailedLogin(): FailedLogin {
  /** The number of the request that header fields were made for. */
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
