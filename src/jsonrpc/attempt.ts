// For values that may be there at once or as a promise. A value that is there costs no turn of the microtask queue.

/** `then` for a value that may already be there. */
export function after<A, B>(value: A | Promise<A>, next: (value: A) => B | Promise<B>): B | Promise<B> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** `catch` for what may throw at once or reject later. */
export function attempt<A, B>(make: () => A | Promise<A>, fail: (thrown: unknown) => B | Promise<B>): A | B | Promise<A | B> {
  try {
    const made = make();
    return made instanceof Promise ? made.catch(fail) : made;
  } catch (thrown) {
    return fail(thrown);
  }
}
