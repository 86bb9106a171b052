/**
 * The internal exports of this folder (its door): what the kit (tasks, fleet, the command, and others) may take from inside, beside what index.ts
 * gives to everybody. `test/imports.test.ts` fails on any other way in. It is not an entry of the package.
 */

// Contexts of handlers that run more than once, over a store of answers, and of handlers that ask a legacy client.
export { dictionary, RepeatedExchange } from './asking-exchange.ts';
export type { AnswerStore, AskedBefore, AskingExchange } from './asking-exchange.ts';
export { askClient, LegacyExchange } from './legacy/legacy-exchange.ts';
export { ModernExchange } from './modern/modern-exchange.ts';

// Results that are not the handler's own, and functions that stand around handlers.
export { RawResult } from './registry.ts';
export { checkScopes, surround } from './guards.ts';

// An extension of a server, and a server seen from inside: its parts, and how it tells of a changed resource.
export { extend } from './extensions.ts';
export { internalsOf, tellUpdated } from './server-core.ts';
export type { ServerInternals } from './server-core.ts';
export { onClose } from './connected-client.ts';

// The seal of states, which other processes of a fleet open.
export { aesGcm, keyBytes } from './modern/aes-gcm.ts';
export type { AesGcm } from './modern/aes-gcm.ts';
export { requestStateSealer } from './modern/request-state.ts';
export type { RequestStateSealer } from './modern/request-state.ts';

// What a client of a revision is sent, for results that come from elsewhere: a bridge to another server, a store.
export { adaptContent, adaptListed, adaptTool, adaptToolResult } from './older-revisions.ts';
export { cacheFields } from './caching.ts';
export { watchedResources } from './watched-resources.ts';
