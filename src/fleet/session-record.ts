import { isObject } from '../jsonrpc/codec.ts';
import { invalidParams } from '../jsonrpc/errors.ts';
import { isImplementation } from '../protocol/meta.ts';
import type { RequestStateSealer } from '../server/modern/request-state.ts';
import type { Agreed } from '../transport/server-port.ts';

/** What the id of a sealed session says: all that a process needs to serve it. */
export interface SessionRecord {
  /** Names the session among the processes. It opens nothing. */
  readonly name: string;
  readonly agreed: Agreed;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

/** Characters of a session id. A header line of nginx holds 8 KiB. */
export const maxSessionId = 1024;

/** Bytes of AES-GCM around what it seals. */
const sealBytes = 28;

/**
 * What the id is bound to. The state of a question is bound to a JSON array, which this never is: neither opens as the
 * other under the same keys.
 */
const boundTo = (principal: string | undefined): string =>
  `session ${principal === undefined ? '' : JSON.stringify(principal)}`;

/** What is kept of a handshake. Icons, description and URL of the client are for display, and nobody shows them here. */
export function keptOf({ version, client: { name, version: release, title }, capabilities }: Agreed): Agreed {
  const client = title === undefined ? { name, version: release } : { name, version: release, title };
  return { version, client, capabilities };
}

// JSON leaves out what is undefined.
const shortened = (name: string, { version, client, capabilities }: Agreed): object =>
  ({ s: name, v: version, n: client.name, w: client.version, t: client.title, c: capabilities });

/** Throws an `RpcError` that names the limit where the id of such a session would be too long. */
export function checkLength(name: string, agreed: Agreed): void {
  const text = JSON.stringify({ ...shortened(name, agreed), expires: Date.now() });
  const length = Math.ceil((new TextEncoder().encode(text).length + sealBytes) * 4 / 3);
  if (length <= maxSessionId) return;
  throw invalidParams(
    'clientInfo and capabilities are too long:'
      + ` the session id would have ${length} characters, the limit is ${maxSessionId}`,
  );
}

/** The id of a session. */
export function sealRecord(
  sealer: RequestStateSealer, name: string, agreed: Agreed, principal: string | undefined,
): Promise<string> {
  return sealer.seal(shortened(name, agreed), boundTo(principal));
}

/** What an id says; undefined for one that was not sealed for this principal, or whose time is up. */
export async function openRecord(
  sealer: RequestStateSealer, id: string, principal: string | undefined,
): Promise<SessionRecord | undefined> {
  const state = await sealer.open(id, boundTo(principal)).catch(() => undefined);
  if (state === undefined) return undefined;
  const { s: name, v: version, n, w, t: title, c: capabilities, expires } = state;
  const client = title === undefined ? { name: n, version: w } : { name: n, version: w, title };
  if (typeof name !== 'string' || typeof version !== 'string' || !isImplementation(client) || !isObject(capabilities)) {
    return undefined;
  }
  return { name, agreed: { version, client, capabilities }, expires: Number(expires) };
}
