import { systemClock } from '../bounds/clock.ts';
import type { Clock } from '../bounds/clock.ts';
import type { Shape } from '../bounds/options.ts';
import { joinBytes } from '../bounds/budget.ts';
import { decodeUtf8, errorMessage } from '../jsonrpc/internal-exports.ts';
import { OAuthError, shownUrl } from './errors.ts';

/** Limits for the response of an authorization server. */
export interface FetchLimits {
  /** Bytes of a document. 256 KiB. */
  maxBytes: number;
  /** Milliseconds until the document must be complete. 10 seconds. */
  timeoutMs: number;
  /** Redirects that a GET follows. A POST carries credentials and follows none. 3. */
  maxRedirects: number;
}

/** The defaults of `FetchLimits`. */
export const defaultFetchLimits: FetchLimits = { maxBytes: 256 * 1024, timeoutMs: 10_000, maxRedirects: 3 };

/** A request in the form that `fetch` takes. */
export interface JsonRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Removes secrets from `fetch`'s error text. Default: removes the URL's user and query. */
  readonly clean?: (text: string) => string;
}

/** The function that fetches documents, its limits and its checks. */
export interface FetchOptions {
  readonly limits?: Partial<FetchLimits> | undefined;
  /** Another `fetch`, for example with a proxy or a private certificate authority. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Checks each address before the request, redirects included; throws to refuse it. Default: `requireSecure`. */
  readonly allow?: ((url: URL, what: string) => void | Promise<void>) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The source of the current time. Default: the runtime's clock. */
  readonly clock?: Clock | undefined;
}

// For `checkOptions`.
export const fetchShape: Shape<FetchOptions> = { limits: defaultFetchLimits, fetch: 'function', allow: 'function', signal: 'object', clock: 'object' };

/** A response with any status. */
export interface JsonAnswer {
  /** The final URL, after redirects. */
  readonly url: string;
  readonly status: number;
  /** The body as JSON; undefined if it is not JSON. */
  readonly value: unknown;
  header(name: string): string | undefined;
}

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Whether the host is this machine. */
export const isLoopback = ({ hostname }: URL): boolean => loopback.test(hostname);

/** Throws unless the address is https, or http on this machine. OAuth 2.1 section 1.5. */
export function requireSecure(url: URL, what: string): void {
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))) return;
  throw new OAuthError('insecure_url', `${what}: ${url.protocol}//${url.host} is not https`);
}

/**
 * Fetches a JSON document with limits on bytes, time and redirects. Rejects with `OAuthError`: `insecure_url`,
 * `fetch_failed`, `fetch_timeout`, `fetch_too_large`, `fetch_redirect`. The caller checks the status.
 *
 * @param what names the document in errors, such as `the key set of https://as.example`
 */
export async function fetchJson(
  url: string, what: string, request: JsonRequest = {}, options: FetchOptions = {},
): Promise<JsonAnswer> {
  const { maxBytes, timeoutMs, maxRedirects } = { ...defaultFetchLimits, ...options.limits };
  const { fetch = globalThis.fetch, allow = requireSecure, signal, clock = systemClock } = options;
  const { method = 'GET', headers, body, clean = (text) => text.replaceAll(url, shownUrl(url)) } = request;
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  const fail = (code: string, why: string, cause?: unknown): OAuthError =>
    new OAuthError(code, `${what} (${shownUrl(url)}): ${why}`, { cause });
  const timeout = fail('fetch_timeout', `no response within ${timeoutMs} ms`);
  const timer = clock.after(timeoutMs, () => controller.abort(timeout));
  try {
    let at = parseUrl(url, what);
    for (let redirects = 0; ; redirects++) {
      await allow(at, what);
      // Redirects are followed here, so that each address is checked.
      const response = await fetch(at, { ...headers && { headers }, ...body !== undefined && { body }, method, redirect: 'manual', signal: controller.signal });
      const location = response.headers.get('location');
      if (response.status < 300 || response.status > 399 || location === null) {
        if (response.type === 'opaqueredirect') throw fail('fetch_redirect', 'redirected, but this runtime hides the target');
        const text = await readText(response, maxBytes, () => fail('fetch_too_large', `longer than ${maxBytes} bytes`));
        return {
          url: at.href, status: response.status, value: parse(text),
          header: (name) => response.headers.get(name) ?? undefined,
        };
      }
      response.body?.cancel().catch(() => {});
      if (method !== 'GET') throw fail('fetch_redirect', 'answered a POST with a redirect, which is not followed');
      if (redirects >= maxRedirects) throw fail('fetch_redirect', `more than ${maxRedirects} redirects`);
      at = new URL(location, at);
    }
  } catch (thrown) {
    if (thrown instanceof OAuthError) throw thrown;
    if (controller.signal.aborted) throw controller.signal.reason;
    const { cause = thrown } = thrown as { cause?: unknown };
    const why = errorMessage(cause);
    // If `fetch` refuses a header field, its error quotes the field with the credentials in it.
    const told = clean(why);
    throw fail('fetch_failed', told, told === why ? thrown : undefined);
  } finally {
    timer?.stop();
    signal?.removeEventListener('abort', abort);
  }
}

/** Throws `OAuthError` if the text is not a URL. */
export function parseUrl(url: string, what: string): URL {
  try {
    return new URL(url);
  } catch {
    throw new OAuthError('invalid_url', `${what}: ${JSON.stringify(shownUrl(String(url)))} is not a URL`);
  }
}

async function readText(response: Response, maxBytes: number, tooLarge: () => OAuthError): Promise<string> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > maxBytes) {
      reader.cancel().catch(() => {});
      throw tooLarge();
    }
    chunks.push(value);
  }
  return decodeUtf8(joinBytes(chunks, size));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
