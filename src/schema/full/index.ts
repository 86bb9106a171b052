export { compile } from './compile.ts';
export { metaschemas } from './metaschemas.ts';
export type { FullCompileOptions } from './options.ts';
