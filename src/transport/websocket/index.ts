/**
 * `barewire/websocket`: `webSocketHandler`, `webSocketTransport`, `socketWithEvents`.
 *
 * @module
 */

export { webSocketTransport } from './client.ts';
export type { WebSocketTransportOptions } from './client.ts';
export type { WebSocketOptions } from './link.ts';
export { defaultWebSocketLimits, webSocketHandler } from './serve.ts';
export type {
  AllowedUpgrade, RefusedUpgrade, UpgradeRequest, WebSocketHandler, WebSocketHandlerOptions, WebSocketLimits, WebSocketServing,
} from './serve.ts';
export { socketWithEvents } from './socket.ts';
export type { CallbackSocket, SocketWithEvents, WebSocketEvent, WebSocketLike } from './socket.ts';
