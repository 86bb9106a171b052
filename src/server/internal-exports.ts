/**
 * The internal exports of this folder: what the kit (tasks, fleet, the command, and others) may import besides index.ts, which is
 * for everybody. `test/imports.test.ts` fails on any other import. It is not an entry of the package.
 */

// Contexts of handlers that run more than once, with a store of answers, and of handlers that ask a legacy client.
export { dictionary, RepeatedExchange } from './input-requests.ts';
export type { AnswerStore, AskedBefore, AskingExchange } from './input-requests.ts';
export { askClient, LegacyExchange } from './legacy/legacy-exchange.ts';
export { ModernExchange } from './modern/modern-exchange.ts';

// Results that are sent unchanged, and functions around handlers.
export { RawResult } from './registry.ts';
export { checkScopes, surround } from './guards.ts';

// Extensions of a server, and its internals: its parts, and how it notifies clients of a changed resource.
export { extend } from './extensions.ts';
export { internalsOf, tellUpdated } from './server-core.ts';
export type { ServerInternals } from './server-core.ts';
export { onClose } from './connected-client.ts';

// The seal of states, which other processes of a fleet can open.
export { aesGcm, keyBytes } from './modern/aes-gcm.ts';
export type { AesGcm } from './modern/aes-gcm.ts';
export { requestStateSealer } from './modern/request-state.ts';
export type { RequestStateSealer } from './modern/request-state.ts';

// Adapts results from elsewhere (a bridge to another server, a store) to the client's revision.
export { adaptContent, adaptListed, adaptTool, adaptToolResult } from './older-revisions.ts';
export { cacheFields } from './caching.ts';
export { watchedResources } from './watched-resources.ts';
