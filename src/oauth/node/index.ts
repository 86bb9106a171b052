/**
 * `barewire/oauth/node`: `login`: a browser, a listener on 127.0.0.1, a file of tokens.
 *
 * @module
 */

export { openBrowser } from './browser.ts';
export { fileStore } from './file-store.ts';
export type { FileStoreOptions } from './file-store.ts';
export { defaultFileLockLimits } from './file-lock.ts';
export type { FileLockLimits } from './file-lock.ts';
export { login } from './login.ts';
export type { LoginOptions } from './login.ts';
export { loopback } from './loopback.ts';
export type { LoopbackOptions } from './loopback.ts';
export { storedLogins } from './logins.ts';
export type { Login } from './logins.ts';
