/**
 * `barewire/schema/full`: `compile` of the whole of JSON Schema 2020-12 and draft-07.
 *
 * @module
 */

export { compile } from './compile.ts';
export { metaschemas } from './metaschemas.ts';
export type { FullCompileOptions } from './options.ts';
