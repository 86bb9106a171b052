import type { WireMessage } from '../messages.ts';

type Bag = Readonly<Record<string, unknown>>;

const bag = (value: unknown): Bag => (typeof value === 'object' && value !== null && !Array.isArray(value) ? value as Bag : {});
const isId = (id: unknown): id is string | number => typeof id === 'string' || typeof id === 'number';

/** The shape of a parsed message, judged by its members. A text that is not JSON (`undefined`) is `unreadable`. */
export function shapeOf(message: unknown): Pick<WireMessage, 'shape' | 'method' | 'rpcId'> {
  if (Array.isArray(message)) return { shape: 'batch', method: '', rpcId: '' };
  const { id, method, result, error } = bag(message);
  const rpcId = id === undefined ? '' : JSON.stringify(id).slice(0, 200);
  if (typeof method === 'string') return { shape: id === undefined ? 'notification' : 'request', method: method.slice(0, 200), rpcId };
  if (error !== undefined) return { shape: 'error', method: '', rpcId };
  return { shape: result === undefined ? 'unreadable' : 'result', method: '', rpcId };
}

/** The requests in a message or batch, each with the token by which later messages refer to it. */
export function callsIn(message: unknown): { readonly id: string; readonly method: string; readonly token: string | undefined }[] {
  return (Array.isArray(message) ? message : [message]).flatMap((one: unknown) => {
    const { id, method, params } = bag(one);
    if (!isId(id) || typeof method !== 'string') return [];
    const { progressToken } = bag(bag(params)['_meta']);
    const token = isId(progressToken) ? `progress ${JSON.stringify(progressToken)}`
      : method === 'subscriptions/listen' ? `subscription ${JSON.stringify(id)}` : undefined;
    return [{ id: JSON.stringify(id), method, token }];
  });
}

/** The id of a response; undefined if the message is not one. */
export function answerKey(message: unknown): string | undefined {
  const { id, method } = bag(message);
  return method === undefined && isId(id) ? JSON.stringify(id) : undefined;
}

/** The token by which a notification refers to a request; undefined if it refers to none. */
export function tokenKey(message: unknown): string | undefined {
  const { method, params } = bag(message);
  const { progressToken, _meta } = bag(params);
  if (method === 'notifications/progress' && isId(progressToken)) return `progress ${JSON.stringify(progressToken)}`;
  const subscription = bag(_meta)['io.modelcontextprotocol/subscriptionId'];
  return isId(subscription) ? `subscription ${JSON.stringify(subscription)}` : undefined;
}

/**
 * The capabilities that a client declares in a request: 2025-11-25 basic/lifecycle#initialization, 2026-07-28 basic/index#statelessness.
 */
export function declaredIn(message: unknown): Bag | undefined {
  const { method, params } = bag(message);
  const named = method === 'initialize' ? bag(params)['capabilities'] : bag(bag(params)['_meta'])['io.modelcontextprotocol/clientCapabilities'];
  return named === undefined ? undefined : bag(named);
}
