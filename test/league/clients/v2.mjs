// @modelcontextprotocol/client. The first word: how it negotiates (`auto`, `legacy`, or `modern` for 2026-07-28 only).
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { contentOf, sampled, targetOf, useAll } from './use.mjs';

const [how, ...words] = process.argv.slice(2);
const { url, command, args } = targetOf(words);
const mode = how === 'modern' ? { pin: '2026-07-28' } : how;
const client = new Client({ name: 'league-sdk-v2', version: '1.0.0' }, { capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} }, versionNegotiation: { mode } });
client.setRequestHandler('elicitation/create', ({ params }) => ({ action: 'accept', content: contentOf(params.requestedSchema) }));
client.setRequestHandler('sampling/createMessage', () => sampled);
client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///work' }] }));
const transport = url ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport({ command, args });
await client.connect(transport);
await useAll({
  capabilities: client.getServerCapabilities(), listTools: async () => (await client.listTools()).tools, callTool: (name, given) => client.callTool({ name, arguments: given }),
  listResources: async () => (await client.listResources()).resources, readResource: (uri) => client.readResource({ uri }),
  listTemplates: async () => (await client.listResourceTemplates()).resourceTemplates, listPrompts: async () => (await client.listPrompts()).prompts,
  getPrompt: (name, given) => client.getPrompt({ name, arguments: given }), complete: (ref, argument) => client.complete({ ref, argument }),
});
if (url) await transport.terminateSession?.().catch((error) => console.error(String(error)));
await client.close();
