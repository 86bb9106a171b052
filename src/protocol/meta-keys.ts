// The reserved keys of `_meta`, each by itself: a program carries those that it reads. `metaKeys` of meta.ts has them all.
// 2026-07-28 basic/index#_meta.

export const protocolVersion = 'io.modelcontextprotocol/protocolVersion';
export const clientInfo = 'io.modelcontextprotocol/clientInfo';
export const clientCapabilities = 'io.modelcontextprotocol/clientCapabilities';
export const logLevel = 'io.modelcontextprotocol/logLevel';
export const serverInfo = 'io.modelcontextprotocol/serverInfo';
export const subscriptionId = 'io.modelcontextprotocol/subscriptionId';
