import type { ErrorObject, Notification, Params, Request, RequestId } from './message.ts';

/** Where one peer hears us: a pipe, or the stream that answers one HTTP request. Messages are JSON text. */
export interface Outlet {
  /**
   * A message that is not an answer: a notification, or a question of ours. `message` is what the text says, for
   * transports that look inside; the notifications of a server come as text only.
   */
  send(text: string, message?: Request | Notification): void;
  /**
   * The answer to the request that came with this outlet; undefined when it was cancelled and gets none.
   * `errorCode` is the code of an error answer, for transports that have a status of their own; `thrown` is
   * what the handler threw, which may know that status.
   */
  answer(text: string | undefined, errorCode?: number, thrown?: unknown): void;
  /**
   * Whether the peer reads what we say, so that a text of this length may follow. False: a result becomes an
   * error, and what may be lost (progress, log messages: they say so) is. Without it there is always room.
   */
  room?(length: number, mayBeLost?: boolean): boolean;
}

/** The outlet of who is told nothing. */
export const nobody: Outlet = { send() {}, answer() {} };

/** The outlet of a pipe, where an answer goes the way of every other message. */
export function pipeOutlet(send: Outlet['send'], room: Outlet['room'] = () => true): Outlet {
  return {
    send,
    room,
    answer(text) {
      if (text !== undefined) send(text);
    },
  };
}

/**
 * A result whose JSON text is made once somebody is known to read it: so a list is serialized once and not for every
 * client.
 */
export class Serialized {
  /** Gives the JSON text of the result; called when it is written. */
  readonly text: () => string;

  constructor(text: () => string) {
    this.text = text;
  }
}

/** Thrown for a result of which a `toJSON`, or who made it, has made no object. */
export const noObject = (): TypeError => new TypeError('the result is not a JSON object');

export function successText(id: RequestId, result: object): string {
  const text = (result instanceof Serialized ? result.text() : JSON.stringify(result)) as string | undefined;
  if (text?.[0] !== '{') throw noObject();
  // Not `${id}` for a number: V8 caches that text, and what it is part of outlives the young generation.
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`;
}

/** `nullId`: whether an error without an id says `"id": null`, or leaves the member out. */
export function failureText(id: RequestId | null, error: ErrorObject, nullId: boolean = false): string {
  return JSON.stringify({ jsonrpc: '2.0', id: id === null && !nullId ? undefined : id, error });
}

export function notificationText(method: string, params?: object): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}

/** Sends a notification that belongs to no request, while the connection is open. */
export function notify(
  { closed, outlet }: { readonly closed: unknown; readonly outlet: Pick<Outlet, 'send'> }, method: string, params?: Params,
): void {
  if (closed) return;
  const notification: Notification = { jsonrpc: '2.0', method };
  if (params !== undefined) notification.params = params;
  outlet.send(JSON.stringify(notification), notification);
}
