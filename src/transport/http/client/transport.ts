import type { ClientTransport } from '../../client-port.ts';
import type { HttpTransportOptions } from './options.ts';
import { ClientPosting } from './posting.ts';
import type { HttpSender } from './sender.ts';
import { MirroredToolHeaders } from './tool-headers.ts';

/**
 * The client's side of Streamable HTTP over any sender. `url` is the MCP endpoint. Throws a TypeError if it is not an HTTP
 * URL, or has credentials.
 */
export function clientTransport(
  url: string | URL, options: HttpTransportOptions, sends: HttpSender,
): ClientTransport {
  const base = new URL(url);
  // The messages do not have the address: it may hold a password.
  if (!/^https?:$/.test(base.protocol)) throw new TypeError(`not an HTTP address: it begins with ${base.protocol}`);
  if (base.username || base.password) {
    throw new TypeError(`the address of ${base.host} has a user name or a password: give credentials in \`headers\``);
  }
  base.hash = '';
  const sender = options.around?.(sends) ?? sends;
  const posting = new ClientPosting(base, options, sender);
  const { requests } = posting;
  return {
    kind: 'http',
    context: posting.request.context,
    toolHeaders: (warn) => new MirroredToolHeaders(warn),
    async open(receiver) {
      requests.receiver = receiver;
    },
    send: (text, message = {}) => posting.send(text, message),
    abandon: (id) => requests.abandon(id),
    agreed(revision) {
      requests.agreed = revision;
    },
    reopen: async () => posting.forget(),
    async close() {
      if (requests.closed) return;
      await posting.close();
      sender.close?.();
    },
  };
}
