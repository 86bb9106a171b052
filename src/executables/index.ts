/**
 * `barewire/executables`: `executables`: each executable file of a folder is a tool, in any language.
 *
 * @module
 */

export { executables } from './executables.ts';
export type { Executables, ExecutablesOptions } from './executables.ts';
export { defaultExecutableLimits } from './limits.ts';
export type { ExecutableLimits } from './limits.ts';
