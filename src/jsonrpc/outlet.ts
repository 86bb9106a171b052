import type { ErrorObject, Refusal, RequestId } from './message.ts';

/** Where one peer hears us: a pipe, or the stream that answers one HTTP request. Messages are JSON text. */
export interface Outlet {
  /** A message that is not an answer: a notification, or a question of ours. */
  send(text: string): void;
  /** The answer to the request that came with this outlet; undefined when it was cancelled and gets none. */
  answer(text: string | undefined): void;
}

/** A result that is already JSON text, so that a list is serialized once and not for every client. */
export class Serialized {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export function successText(id: RequestId, result: object): string {
  const text = result instanceof Serialized ? result.text : JSON.stringify(result);
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`;
}

export function failureText(id: RequestId | null, error: ErrorObject): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}

export function refusalText(refusal: Refusal): string {
  return failureText(refusal.id, refusal.error);
}

export function requestText(id: RequestId, method: string, params?: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

export function notificationText(method: string, params?: object): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}

/**
 * Answers a batch with a batch, once its last request has been answered.
 * JSON-RPC 2.0 section 6; 2025-03-26 basic/index#batching.
 */
export function batchOutlet(outlet: Outlet, requests: number): Outlet {
  const answers: string[] = [];
  let open = requests;
  return {
    send: (text) => outlet.send(text),
    answer(text) {
      if (text !== undefined) answers.push(text);
      if (--open === 0) outlet.answer(answers.length > 0 ? `[${answers.join()}]` : undefined);
    },
  };
}
