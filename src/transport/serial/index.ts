/**
 * `barewire/serial`: `serveSerial`, `serialTransport`, `frames`, `lines`, `streamChannel`.
 *
 * @module
 */

export { streamChannel } from './channel.ts';
export type { DuplexLike, SerialChannel } from './channel.ts';
export { serialTransport } from './client.ts';
export type { SerialTransportOptions } from './client.ts';
export { frames } from './frames.ts';
export type { FramesOptions } from './frames.ts';
export { defaultLinkLimits } from './link.ts';
export type { LinkLimits } from './link.ts';
export type { LinkSide } from './frame.ts';
export { lines } from './lines.ts';
export type { SerialOptions } from './messages.ts';
export { serveSerial } from './serve.ts';
export type { SerialServing, ServeSerialOptions } from './serve.ts';
export type { SerialFraming, ByteLink, ByteLinkEvents, ByteLinkParts } from './byte-link.ts';
