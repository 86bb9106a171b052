/** In the place of an object that a test gets later. Each use fails. */
export const unreachable: never = new Proxy({}, {
  get() {
    throw new Error('it is not there yet');
  },
}) as never;
