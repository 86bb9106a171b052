// The conformance fixture on workerd. Sessions and subscriptions outlive a request, so they live in a Durable Object: a plain
// worker must not use the streams of another request.
import { everything } from '../../../dist/test/peers/everything/fixture.js';
import { fetchHandler } from '../../../dist/src/transport/http/fetch/index.js';

export class Everything {
  #handler = fetchHandler(everything());

  fetch(request) {
    return this.#handler(request);
  }
}

export default {
  fetch: (request, { EVERYTHING }) => EVERYTHING.get(EVERYTHING.idFromName('everything')).fetch(request),
};
