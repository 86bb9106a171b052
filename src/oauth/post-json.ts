import { shown } from './errors.ts';
import { fetchJson } from './fetch-json.ts';
import type { FetchOptions, JsonAnswer, JsonRequest } from './fetch-json.ts';
import { secretsOf, withoutSecrets } from './request-secrets.ts';

/** Characters of a text of the other side that an error may say. */
const maxTold = 1000;

/** The answer to a request that carries credentials, which the server may have written back. */
export interface PostAnswer extends JsonAnswer {
  /** A text of the answer without those credentials, and its beginning only where it is long. */
  clean(text: string): string;
  /** A value of the answer as an error may say it: JSON, clean, and cut where it is long. */
  says(value: unknown): string;
}

/** Sends a request that carries credentials, by POST. Rejects as `fetchJson` does; no error holds a credential of the request. */
export async function postJson(
  url: string, what: string, request: Omit<JsonRequest, 'method' | 'clean'>, options: FetchOptions = {},
): Promise<PostAnswer> {
  const clean = (text: string): string => withoutSecrets(text.slice(0, maxTold), secretsOf({ url, ...request }));
  const answer = await fetchJson(url, what, { ...request, method: 'POST', clean }, options);
  return { ...answer, clean, says: (value) => shown(typeof value === 'string' ? clean(value) : value) };
}
