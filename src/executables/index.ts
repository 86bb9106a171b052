export { executables } from './executables.ts';
export type { Executables, ExecutablesOptions } from './executables.ts';
export { defaultExecutableLimits } from './limits.ts';
export type { ExecutableLimits } from './limits.ts';
