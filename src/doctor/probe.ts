import { systemClock } from '../bounds/clock.ts';
import { checkOptions } from '../bounds/options.ts';
import { typeOf } from '../judge/http-demand.ts';

/** One HTTP request of the doctor. */
export interface ProbeRequest {
  /** `POST`, `GET`, `DELETE` or `OPTIONS`. */
  readonly method: string;
  /** The URL of the request. */
  readonly url: string;
  /** Names are lower-case. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string | undefined;
  /** True: read only the head, since the body may never end. */
  readonly headOnly?: boolean;
}

/** The response. Redirects are not followed. */
export interface ProbeAnswer {
  /** 0 if a browser hides the status, for example of a redirect. */
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The start of the body, without a word that its limit cuts; of a stream, the text up to its first message. */
  readonly body: string;
}

/** Sends one HTTP request, or rejects with the runtime's error. */
export type Probe = (request: ProbeRequest) => Promise<ProbeAnswer>;

/** The most characters of a body that are read. */
const most = 65_536;

/**
 * Makes a probe from a `fetch`. A body is read for at most `timeoutMs`; 10 s. `headers` are sent with each request,
 * for example credentials.
 */
export function fetchProbe(
  fetch: typeof globalThis.fetch, options: { readonly timeoutMs?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): Probe {
  checkOptions('fetchProbe: options', options, { timeoutMs: 0, headers: 'object' });
  const { timeoutMs = 10_000, headers: own = {} } = options;
  return async ({ method, url, headers, body, headOnly = false }) => {
    const control = new AbortController();
    const timer = systemClock.after(timeoutMs, () => control.abort(new DOMException('no answer in time', 'TimeoutError')));
    try {
      const response = await fetch(url, { method, headers: { ...own, ...headers }, redirect: 'manual', signal: control.signal, ...body !== undefined && { body } });
      const head = { status: response.status, headers: Object.fromEntries(response.headers) };
      const stream = typeOf(head) === 'text/event-stream';
      let text = '';
      const reader = response.body?.getReader();
      const decoder = new TextDecoder();
      try {
        while (reader && !headOnly && text.length < most) {
          const { done, value } = await reader.read();
          if (done) break;
          text += decoder.decode(value, { stream: true });
          if (stream && /^data: ?\S/m.test(text) && /\r?\n\r?\n|\r\r/.test(text.slice(text.search(/^data: ?\S/m)))) break;
        }
      } catch (thrown) {
        if (text === '' && !control.signal.aborted) throw thrown;
      }
      reader?.cancel().catch(() => {});
      return { ...head, body: text.length < most ? text : `${text.slice(0, wholeWords(text))}…` };
    } finally {
      timer?.stop();
    }
  };
}

/** Where a text is cut: before the last word, because a part of a key does not look like one, and would not be redacted. */
function wholeWords(text: string): number {
  let end = most;
  while (/[\w~+/=.-]/.test(text.charAt(end - 1))) end--;
  return end;
}
