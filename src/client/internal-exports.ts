/**
 * The internal exports of this folder: what the kit may import besides index.ts, which is for everybody. `test/imports.test.ts`
 * fails on any other import. It is not an entry of the package.
 */

// The client with every part, and the shapes for checking its options and those of a call.
export { McpClient } from './mcp-client.ts';
export { callShape, clientShape } from './options.ts';

// The structured result of a tool of a typed server.
export type { Structured } from './server-types.ts';
