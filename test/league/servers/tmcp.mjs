// The smallest server on tmcp.
import { ValibotJsonSchemaAdapter } from '@tmcp/adapter-valibot';
import { StdioTransport } from '@tmcp/transport-stdio';
import { McpServer } from 'tmcp';
import * as v from 'valibot';

const server = new McpServer({ name: 'tmcp', version: '1.0.0' }, { adapter: new ValibotJsonSchemaAdapter(), capabilities: { tools: {}, prompts: {}, resources: {} } });
server.tool({ name: 'add', description: 'Adds', schema: v.object({ a: v.number(), b: v.number() }), annotations: { readOnlyHint: true } }, ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }));
server.resource({ name: 'note', description: 'A note', uri: 'hello://note' }, (uri) => ({ contents: [{ uri, mimeType: 'text/plain', text: 'a note' }] }));
server.prompt({ name: 'greet', description: 'Greets', schema: v.object({ who: v.string() }) }, ({ who }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Greet ${who}.` } }] }));
new StdioTransport(server).listen();
