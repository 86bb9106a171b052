import type { Decoded, Unchecked } from '../../jsonrpc/message.ts';

/**
 * The topics of MCP over MQTT, as EMQX publishes the transport for the revisions with a handshake:
 * docs.emqx.com, MCP over MQTT, Specification (for 2025-06-18). docs/mqtt.md has our reading for 2026-07-28.
 */

/** What a server says of itself when it is online, for clients that look for one. */
export interface ServerPresence {
  /** What the server is for, in a sentence. */
  readonly description?: string | undefined;
  /** Whatever else clients should know before they connect, such as the roles that the server has. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/** The topics of one server. */
export interface ServerTopics {
  /** Where a client says its first message. */
  readonly control: string;
  /** Retained while the server is online. */
  readonly presence: string;
  /** Where the server says that a list has changed. */
  readonly capability: string;
  /** The conversation with one client. */
  rpc(clientId: string): string;
}

/** `name`: levels separated by `/`. Both without wildcards; an identifier without `/`. */
export function serverTopics(id: string, name: string): ServerTopics {
  return {
    control: `$mcp-server/${id}/${name}`,
    presence: `$mcp-server/presence/${id}/${name}`,
    capability: `$mcp-server/capability/${id}/${name}`,
    rpc: (clientId) => `$mcp-rpc/${clientId}/${id}/${name}`,
  };
}

/** Where a client says that it is gone. */
export const clientPresence = (clientId: string): string => `$mcp-client/presence/${clientId}`;

/** Where a client says that its roots have changed. */
export const clientCapability = (clientId: string): string => `$mcp-client/capability/${clientId}`;

/** The server's identifier and name in the topic of its presence; undefined for another topic. */
export function presenceOf(topic: string): { id: string; name: string } | undefined {
  const [, id, name] = /^\$mcp-server\/presence\/([^/]+)\/(.+)$/.exec(topic) ?? [];
  return id !== undefined && name !== undefined ? { id, name } : undefined;
}

/** The longest name or identifier: a topic has at most 65,535 bytes, and nobody needs them. */
const maxNameLength = 256;

/** Throws a TypeError for a name that would reach other topics than its own. */
export function checkName(place: string, name: string): void {
  if (isLevel(name.replaceAll('/', 'x')) && !name.startsWith('/') && !name.endsWith('/')) return;
  throw new TypeError(`${place} is ${JSON.stringify(name.slice(0, 80))}, expected 1 to ${maxNameLength} characters without + and #, and no / at either end`);
}

/** Whether a text may be an identifier: one level of a topic. */
export const isLevel = (text: unknown): text is string =>
  typeof text === 'string' && text.length > 0 && text.length <= maxNameLength && !/[/+#\0]/.test(text);

/** What either end says when it ends a session. */
export const disconnected = '{"jsonrpc":"2.0","method":"notifications/disconnected"}';

/** Whether the other end has said so, however it writes its JSON. */
export const saysDisconnected = (decoded: Decoded | Unchecked): boolean =>
  decoded.kind === 'notification' && decoded.message.method === 'notifications/disconnected';

/** Whether a text tells that a list of the server has changed: a notification without parameters, as legacy revisions have it. */
export const tellsOfList = (text: string): boolean => /^\{"jsonrpc":"2\.0","method":"notifications\/[a-z]+\/list_changed"\}$/.test(text);
