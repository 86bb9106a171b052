import { authorizationCode, oauth } from '../../src/oauth/index.ts';
import { compile } from '../../src/schema/full/index.ts';
import { TaskClient } from '../../src/tasks/index.ts';
import type { TaskClientOptions } from '../../src/tasks/index.ts';
import { httpTransport } from '../../src/transport/http/fetch/index.ts';
import { stdioTransport } from '../../src/transport/stdio/index.ts';
import { pause } from '../peers/everything/media.ts';

// A client that uses every declared feature of a server, for the judge of clients: `http [careless|bare] URL`, or `stdio
// [careless|bare] PROGRAM …`. It calls every listed tool, answers requests, and logs in. `careless`: passes values that the
// library must reject, to show where it does not. `bare`: answers no requests.

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

/** Plays the browser: the authorization server redirects at once. */
async function follow(url: URL): Promise<string> {
  const response = await fetch(url, { redirect: 'manual' });
  await response.body?.cancel();
  return response.headers.get('location') ?? '';
}

const [way, ...given] = process.argv.slice(2);
const careless = given[0] === 'careless';
const bare = given[0] === 'bare';
const [first = '', ...more] = careless || bare ? given.slice(1) : given;
const [goodUri, goodDocument] = ['http://127.0.0.1:9/callback', 'https://client.example/judged.json'];
const login = (redirectUri: string, metadataDocument: string) => oauth({ grant: authorizationCode({ client: { name: 'judged', metadataDocument }, redirectUri, onAuthorize: follow }) });
const attempts: readonly (readonly [string, string])[] = careless ? [['http://client.example/callback', goodDocument], [goodUri, 'https://client.example']] : [];
let auth = login(goodUri, goodDocument);
for (const [redirectUri, document] of attempts) {
  try {
    auth = login(redirectUri, document);
    break;
  } catch {
    // Correctly rejected.
  }
}
const answers: TaskClientOptions = {
  async onElicit() {
    // A person needs time.
    await pause(100);
    return { action: 'accept', content: careless ? { size: 99 } : {} };
  },
  onElicitUrl: () => ({ action: 'decline' }),
  onSample: () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: 'Hello.' } }),
  roots: [{ uri: 'file:///work' }],
};
const made = (extensions: Record<string, object> | undefined): TaskClient => new TaskClient({ name: 'judged', version: '1.0.0' }, {
  ...extensions && { extensions },
  validator: compile,
  ...!bare && answers,
  ...!careless && !bare && { capabilities: { sampling: { tools: {} } } },
});
let client: TaskClient;
try {
  client = made(careless ? { noprefix: {} } : undefined);
} catch {
  // Correctly rejected.
  client = made(undefined);
}
await client.connect(way === 'http' ? httpTransport(first, { auth }) : stdioTransport(first, more));
if (careless) for (const uri of ['http://127.0.0.1/work', 'file:///work/../up']) await tried(uri, async () => client.setRoots([{ uri }]));
const capabilities = client.capabilities ?? {};
await tried('tools', async () => {
  for (const tool of await client.listTools()) {
    await tried(tool.name, () => client.callTool(tool.name, argumentsOf(tool.inputSchema), { timeoutMs: 3_000, onProgress: () => {} }));
    // The library rejects it.
    if (capabilities.tasks && tool.execution?.taskSupport === undefined) await tried('a task', () => client.startTool(tool.name, argumentsOf(tool.inputSchema), { timeoutMs: 3_000 }));
    if (!careless && !bare) await tried('roots', async () => client.setRoots([{ uri: 'file:///work' }, { uri: `file:///work/${tool.name}` }]));
  }
});
if (capabilities.prompts) await tried('two lists at once', () => Promise.all([client.listPrompts({ onProgress() {} }), client.listPrompts({ timeoutMs: 5_000, onProgress() {} })]));
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
if (careless) {
  for (const key of ['1abc.example/key', 'abc:example/key', 'example.com/key-']) await tried(key, () => client.request('tools/list', { _meta: { [key]: 1 } }));
}
await client.close();
