// barewire's own client.
import { McpClient } from '../../../dist/lib/client.js';
import { httpTransport } from '../../../dist/lib/http.js';
import { stdioTransport } from '../../../dist/lib/stdio.js';
import { contentOf, sampled, targetOf, useAll } from './use.mjs';

const { url, command, args } = targetOf();
const client = new McpClient({ name: 'league-barewire', version: '1.0.0' }, {
  onElicit: (form) => ({ action: 'accept', content: contentOf(form.requestedSchema) }), onSample: () => sampled, roots: [{ uri: 'file:///work' }],
});
await client.connect(url ? httpTransport(url) : stdioTransport(command, args));
await useAll({
  capabilities: client.server?.capabilities ?? client.capabilities, listTools: () => client.listTools(), callTool: (name, given) => client.callTool(name, given), listResources: () => client.listResources(),
  readResource: (uri) => client.readResource(uri), listTemplates: () => client.listResourceTemplates(), listPrompts: () => client.listPrompts(),
  getPrompt: (name, given) => client.getPrompt(name, given), complete: (ref, argument) => client.complete(ref, argument),
});
await client.close();
