import { AuthorizationFailed, HttpError } from '../http-error.ts';
import type { Outgoing } from '../../client-port.ts';
import { readText } from './body.ts';
import { requestHeaders } from './headers.ts';
import type { HeaderValues, HttpTransportOptions } from './options.ts';
import type { PostedRequest, PostedRequests } from './posted-request.ts';
import type { HttpAnswer, HttpSender } from './sender.ts';

/** The parts of one HTTP request besides the common headers. */
export interface RequestParts {
  /** Headers of this request only. */
  readonly own: HeaderValues;
  /** The JSON-RPC message in the body. */
  readonly message?: Outgoing | undefined;
  readonly body?: string | undefined;
}

/** Sends HTTP requests with credentials. */
export interface HttpRequester {
  send(
    method: string, target: URL, posted: Pick<PostedRequest, 'session' | 'cancellation'>, parts: RequestParts,
  ): Promise<HttpAnswer>;
  /** Names the credentials of the next request; undefined if they never change. */
  readonly context: (() => string | Promise<string>) | undefined;
}

const maxRedirects = 3;
const maxRepeats = 3;

/**
 * Makes the headers of each request, follows redirects within the origin of `base`, and tries again if the server refuses
 * the credentials and `auth` has others.
 */
export function requester(
  base: URL, { headers: custom = {}, auth }: HttpTransportOptions, requests: PostedRequests, sender: HttpSender,
): HttpRequester {
  /** The headers that `auth` gave for the last request. */
  let last: HeaderValues = {};

  /** The target of a redirect; undefined for other responses. Throws unless it stays within the origin and keeps the method. */
  function redirect(answer: HttpAnswer, url: URL, hops: number): URL | undefined {
    const { status } = answer;
    if (status !== 0 && (status < 300 || status > 399)) return undefined;
    answer.cancel();
    const to = answer.header('location') ?? '';
    const next = new URL(to, url);
    // The headers may hold credentials, which are only for the origin of `base`.
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

/** Marks an error of `auth`, so that it reaches the caller unchanged. */
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

/** RFC 9449 section 9 asks for a nonce with 401; some servers do it with 400, like authorization servers. */
function asksForCredentials(answer: HttpAnswer): boolean {
  const { status } = answer;
  return status === 401 || status === 403
    || (status === 400 && /use_dpop_nonce/i.test(answer.header('www-authenticate') ?? ''));
}
