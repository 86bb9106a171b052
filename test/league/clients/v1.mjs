// @modelcontextprotocol/sdk
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { allPages, contentOf, sampled, targetOf, useAll } from './use.mjs';

const { url, command, args } = targetOf();
const client = new Client({ name: 'league-sdk-v1', version: '1.0.0' }, { capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} } });
client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({ action: 'accept', content: contentOf(params.requestedSchema) }));
client.setRequestHandler(CreateMessageRequestSchema, () => sampled);
client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///work' }] }));
const transport = url ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport({ command, args });
await client.connect(transport);
const page = (cursor) => (cursor === undefined ? undefined : { cursor });
await useAll({
  capabilities: client.getServerCapabilities(), listTools: () => allPages((cursor) => client.listTools(page(cursor)), 'tools'), callTool: (name, given) => client.callTool({ name, arguments: given }),
  listResources: () => allPages((cursor) => client.listResources(page(cursor)), 'resources'), readResource: (uri) => client.readResource({ uri }),
  listTemplates: () => allPages((cursor) => client.listResourceTemplates(page(cursor)), 'resourceTemplates'), listPrompts: () => allPages((cursor) => client.listPrompts(page(cursor)), 'prompts'),
  getPrompt: (name, given) => client.getPrompt({ name, arguments: given }), complete: (ref, argument) => client.complete({ ref, argument }),
});
if (url) await transport.terminateSession().catch((error) => console.error(String(error)));
await client.close();
