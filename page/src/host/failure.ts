import { HostError } from 'barewire/host';
import { ConnectionError, RpcError } from 'barewire/jsonrpc';
import type { Failure } from '../messages.ts';

/** Why an action failed in the host. The codes are stable. */
export type PageErrorCode =
  | 'bad-message' | 'bad-params' | 'bad-answer' | 'bad-config' | 'bad-transcript' | 'no-such-server' | 'no-such-tool' | 'no-such-call'
  | 'no-such-question' | 'no-such-app' | 'changed' | 'answered' | 'withdrawn' | 'no-such-recording' | 'no-such-task' | 'dropped' | 'login-needed' | 'not-connected' | 'not-here' | 'busy' | 'cancelled';

/** An error of the page's host. An error response of a server stays an `RpcError`. */
export class PageError extends Error {
  readonly code: PageErrorCode;
  readonly data: unknown;

  constructor(code: PageErrorCode, message: string, data?: unknown) {
    super(message);
    this.name = 'PageError';
    this.code = code;
    this.data = data;
  }
}

/** The most characters of a message that are shown. */
const maxMessage = 4_000;

/** Converts anything thrown into a `Failure`. */
export function failureOf(thrown: unknown): Failure {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const message = text.length > maxMessage ? `${text.slice(0, maxMessage)}…` : text;
  if (thrown instanceof RpcError || thrown instanceof PageError) {
    return { code: thrown.code, message, ...thrown.data !== undefined && { data: thrown.data } };
  }
  if (thrown instanceof HostError) return { code: thrown.code, message };
  if (thrown instanceof ConnectionError) return { code: thrown.reason, message };
  return { code: thrown instanceof Error && thrown.name === 'AbortError' ? 'cancelled' : 'failed', message };
}
