/**
 * `barewire-pack`: a server as one file, as an .mcpb bundle, and as an entry of the MCP registry.
 *
 * @module
 */
export { pack } from './pack.ts';
export type { PackedFile, PackOptions } from './pack.ts';
