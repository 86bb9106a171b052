import { McpClient } from '../../src/client/index.ts';
import { httpTransport } from '../../src/transport/http/fetch/index.ts';
import { stdioTransport } from '../../src/transport/stdio/index.ts';

// A client that uses everything that a server has declared, for the judge of clients: `http URL`, or `stdio PROGRAM …`. It calls
// every tool that it lists, and answers what it is asked.

interface Schema {
  readonly type?: unknown;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

function valueOf(schema: Schema = {}): unknown {
  if ('default' in schema) return schema.default;
  if (schema.type === 'object') return argumentsOf(schema);
  if (schema.type === 'array') return [];
  if (schema.type === 'integer' || schema.type === 'number') return 2;
  return schema.type === 'boolean' ? true : 'Ada';
}

const argumentsOf = ({ properties = {}, required = [] }: Schema): Record<string, unknown> => Object.fromEntries(required.map((name) => [name, valueOf(properties[name])]));

async function tried(what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    console.error(`${what}: ${String(error)}`);
  }
}

const [way, ...words] = process.argv.slice(2);
const [first = '', ...more] = words;
const client = new McpClient({ name: 'judged', version: '1.0.0' }, {
  onElicit: () => ({ action: 'accept', content: {} }),
  onSample: () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: 'Hello.' } }),
  roots: [{ uri: 'file:///work' }],
});
await client.connect(way === 'http' ? httpTransport(first) : stdioTransport(first, more));
const capabilities = client.capabilities ?? {};
await tried('tools', async () => {
  for (const tool of await client.listTools()) {
    await tried(tool.name, () => client.callTool(tool.name, argumentsOf(tool.inputSchema), { timeoutMs: 3_000, onProgress: () => {} }));
  }
});
if (capabilities.prompts) await tried('two lists at once', () => Promise.all([client.listPrompts(), client.listPrompts({ timeoutMs: 5_000 })]));
if (capabilities.resources) {
  await tried('resources', async () => {
    for (const { uri } of await client.listResources()) await tried(uri, () => client.readResource(uri));
    await client.listResourceTemplates();
  });
}
if (capabilities.prompts) {
  await tried('prompts', async () => {
    for (const { name, arguments: given = [] } of await client.listPrompts()) {
      await tried(name, () => client.getPrompt(name, Object.fromEntries(given.map((one) => [one.name, 'Ada']))));
      const [argument] = given;
      if (argument && capabilities.completions) await tried('complete', () => client.complete({ type: 'ref/prompt', name }, { name: argument.name, value: 'A' }));
    }
  });
}
await client.close();
