import { HttpError } from '../http-error.ts';
import type { Outgoing } from '../../client-port.ts';
import { AuthorizationFailed } from './authorization.ts';
import { readText } from './body.ts';
import { requestHeaders } from './headers.ts';
import type { HeaderValues, HttpTransportOptions } from './options.ts';
import type { PostedRequest, PostedRequests } from './posted-request.ts';
import type { HttpAnswer, HttpSend, HttpSender } from './sender.ts';

/** What one HTTP request carries beside the headers that every one has. */
export interface RequestParts {
  /** Headers of only this request. */
  readonly own: HeaderValues;
  /** The JSON-RPC message that it posts. */
  readonly message?: Outgoing | undefined;
  readonly body?: string | undefined;
}

/** Sends one HTTP request, with credentials, to its answer. */
export interface HttpRequester {
  send(
    method: string, target: URL, posted: Pick<PostedRequest, 'session' | 'cancellation'>, parts: RequestParts,
  ): Promise<HttpAnswer>;
  /** Names the credentials that a request would have now; undefined where they never change. */
  readonly context: (() => string | Promise<string>) | undefined;
}

const maxRedirects = 3;
const maxRepeats = 3;

/**
 * Makes the headers of each request, follows redirects within the origin of `base`, and lets `auth` have another
 * try where the server refuses its credentials.
 */
export function requester(
  base: URL, { headers: custom = {}, auth }: HttpTransportOptions, requests: PostedRequests, sender: HttpSender,
): HttpRequester {
  /** What `auth` gave for the request that was sent last. */
  let last: HeaderValues = {};

  /** Where a redirect leads; undefined where the answer is not one. It is followed within the origin, if it keeps the method. */
  function redirect(answer: HttpAnswer, url: URL, hops: number): URL | undefined {
    const { status } = answer;
    if (status !== 0 && (status < 300 || status > 399)) return undefined;
    answer.cancel();
    const to = answer.header('location') ?? '';
    const next = new URL(to, url);
    // The headers, with whatever credentials they hold, are for the origin that was given, and no other.
    if ((status === 307 || status === 308) && next.origin === base.origin && hops < maxRedirects) return next;
    throw new HttpError(status, to, 'a redirect that is not followed');
  }

  return {
    async send(method, target, { session, cancellation }, { own, message = {}, body }) {
      const lasting = method === 'GET' || (message.id !== undefined && message.method !== undefined);
      for (let attempt = 1; ; attempt++) {
        const given = typeof custom === 'function' ? await custom() : custom;
        const headers = requestHeaders(given, message, requests.agreed, session?.id, own);
        let answer: HttpAnswer;
        let sent: HeaderValues = {};
        let url = target;
        for (let hops = 0; ; hops++) {
          if (auth) last = sent = await trying(() => auth.headers({ method, url: url.href }));
          const all = auth ? { ...headers, ...lowerCase(sent) } : headers;
          answer = await sender.send({ method, url, headers: all, body, lasting, cancellation });
          const next = redirect(answer, url, hops);
          if (next === undefined) break;
          url = next;
        }
        if (auth === undefined) return answer;
        const { status } = answer;
        const { href } = url;
        const header = (name: string): string | undefined => answer.header(name);
        if (!asksForCredentials(answer)) {
          if (status < 300) auth.accepted?.({ url: href, header });
          return answer;
        }
        const text = await readText(answer);
        const again = attempt <= maxRepeats
          && await trying(() => auth.refused({ status, url: href, method, header, body: text, sent, attempt }));
        if (!again) throw new HttpError(status, text, undefined, header);
        cancellation.check();
      }
    },

    context: typeof custom === 'function' || auth ? async () => {
      const given = JSON.stringify(typeof custom === 'function' ? await custom() : {});
      if (auth === undefined) return given;
      const named = auth.context ? await auth.context() : lowerCase(last)['authorization'];
      return `${given} ${named}`;
    } : undefined,
  };
}

/** An error that `auth` throws reaches the caller unchanged. */
async function trying<T>(ask: () => T | Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (thrown) {
    throw new AuthorizationFailed(thrown);
  }
}

function lowerCase(fields: HeaderValues): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name in fields) headers[name.toLowerCase()] = fields[name] as string;
  return headers;
}

/** RFC 9449 section 9 asks for a nonce with 401; some servers do so with 400, as authorization servers do. */
function asksForCredentials(answer: HttpAnswer): boolean {
  const { status } = answer;
  return status === 401 || status === 403
    || (status === 400 && /use_dpop_nonce/i.test(answer.header('www-authenticate') ?? ''));
}
