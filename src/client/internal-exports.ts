/**
 * The internal exports of this folder (its door): what the kit may take from inside, beside what index.ts gives to everybody.
 * `test/imports.test.ts` fails on any other way in. It is not an entry of the package.
 */

// The client with every part, and the shapes against which its options and those of a call are held.
export { McpClient } from './mcp-client.ts';
export { callShape, clientShape } from './options.ts';

// The structured result of a tool of a typed server.
export type { Structured } from './server-types.ts';
