import type { Decoded, Unchecked } from '../../jsonrpc/message.ts';

/**
 * The topics of MCP over MQTT, as EMQX specifies the transport for the revisions with a handshake:
 * docs.emqx.com, MCP over MQTT, Specification (for 2025-06-18). docs/mqtt.md has our adaptation to 2026-07-28.
 */

/** The description of an online server, for clients that look for servers. */
export interface ServerPresence {
  /** The purpose of the server, in one sentence. */
  readonly description?: string | undefined;
  /** More data for clients before they connect, such as the roles that the server has. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/** The topics of one server. */
export interface ServerTopics {
  /** For the first message of a client. */
  readonly control: string;
  /** For the presence message, which the broker retains while the server is online. */
  readonly presence: string;
  /** For the `list_changed` notifications of the server. */
  readonly capability: string;
  /** For the messages to and from one client. */
  rpc(clientId: string): string;
}

/** The topics of the server `name` in the process `id`. Neither may have wildcards; `name` may have levels, `id` no `/`. */
export function serverTopics(id: string, name: string): ServerTopics {
  return {
    control: `$mcp-server/${id}/${name}`,
    presence: `$mcp-server/presence/${id}/${name}`,
    capability: `$mcp-server/capability/${id}/${name}`,
    rpc: (clientId) => `$mcp-rpc/${clientId}/${id}/${name}`,
  };
}

/** The topic on which a client announces that it is gone. */
export const clientPresence = (clientId: string): string => `$mcp-client/presence/${clientId}`;

/** The topic on which a client announces that its roots have changed. */
export const clientCapability = (clientId: string): string => `$mcp-client/capability/${clientId}`;

/** Reads the identifier and name of a server from its presence topic; undefined for other topics. */
export function presenceOf(topic: string): { id: string; name: string } | undefined {
  const [, id, name] = /^\$mcp-server\/presence\/([^/]+)\/(.+)$/.exec(topic) ?? [];
  return id !== undefined && name !== undefined ? { id, name } : undefined;
}

/** The longest name or identifier. A topic may have 65,535 bytes, which is more than needed. */
const maxNameLength = 256;

/** Throws a TypeError for a name that would match topics of other servers, or that is too long. */
export function checkName(place: string, name: string): void {
  if (isLevel(name.replaceAll('/', 'x')) && !name.startsWith('/') && !name.endsWith('/')) return;
  throw new TypeError(`${place} is ${JSON.stringify(name.slice(0, 80))}, expected 1 to ${maxNameLength} characters without + and #, and no / at either end`);
}

/** True if a value may be an identifier: one level of a topic. */
export const isLevel = (text: unknown): text is string =>
  typeof text === 'string' && text.length > 0 && text.length <= maxNameLength && !/[/+#\0]/.test(text);

/** The message with which either side ends a session. */
export const disconnected = '{"jsonrpc":"2.0","method":"notifications/disconnected"}';

/** True for the message `disconnected` from the other side, however its JSON is formatted. */
export const saysDisconnected = (decoded: Decoded | Unchecked): boolean =>
  decoded.kind === 'notification' && decoded.message.method === 'notifications/disconnected';

/** True for a `list_changed` notification without parameters, as in the legacy revisions. */
export const tellsOfList = (text: string): boolean => /^\{"jsonrpc":"2\.0","method":"notifications\/[a-z]+\/list_changed"\}$/.test(text);
