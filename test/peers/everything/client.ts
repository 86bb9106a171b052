import { parseArgs } from 'node:util';
import { McpClient } from '../../../src/client/index.ts';
import { listSkills, readSkill, readSkillFile, SkillError } from '../../../src/skills/index.ts';
import { httpTransport as overFetch } from '../../../src/transport/http/fetch/index.ts';
import { httpTransport as overNode } from '../../../src/transport/http/node/index.ts';
import { conformanceAuth, expectedRefusals } from './authorization.ts';

// The command that the conformance suite runs, with the server's URL; the environment has the scenario, the revision, and the
// calls to make. An argument selects the HTTP client.
const { positionals: words } = parseArgs({ allowPositionals: true });
const url = words.at(-1) ?? '';
const httpTransport = words.includes('node:http') ? overNode : overFetch;
const {
  MCP_CONFORMANCE_SCENARIO: scenario = '',
  MCP_CONFORMANCE_PROTOCOL_VERSION: version = '',
  MCP_CONFORMANCE_CONTEXT: context = '{}',
} = process.env;

const modern = version >= '2026';
const client = new McpClient({ name: 'barewire-everything-client', version: '0.1.0' }, {
  // The suite's legacy servers support only that revision, and no probe.
  ...!modern && { revisions: [version] },
  async onElicit() {
    // During a question, another call must not carry its answer or its state.
    if (scenario === 'sep-2322-client-request-state') await client.callTool('test_mrtr_unrelated', {});
    // Empty content: the client fills in the form's defaults.
    return { action: 'accept', content: {} };
  },
  onSample: () => ({ role: 'assistant', content: { type: 'text', text: 'Hello.' }, model: 'none' }),
  roots: [{ uri: 'file:///work', name: 'work' }],
  onError: (error) => process.stderr.write(`${error.message}\n`),
});

/** Calls everything that the server has, once. */
async function everything(): Promise<void> {
  const { tools: hasTools, resources, prompts } = client.capabilities ?? {};
  if (hasTools) for (const { name } of await client.listTools()) await client.callTool(name, argumentsOf(name));
  if (resources) for (const { uri } of await client.listResources()) await client.readResource(uri);
  if (prompts) for (const { name } of await client.listPrompts()) await client.getPrompt(name);
}

function argumentsOf(name: string): Record<string, unknown> {
  return name === 'add_numbers' ? { a: 5, b: 3 } : {};
}

const auth = scenario.startsWith('auth/') ? conformanceAuth(scenario, JSON.parse(context)) : undefined;
/** The code of the refusal that must end this scenario; undefined: it must succeed. */
const expected = Object.hasOwn(expectedRefusals, scenario) ? expectedRefusals[scenario] : undefined;
let refusal: Error | undefined;
try {
  await client.connect(httpTransport(url, { auth }));
  await play();
} catch (error) {
  if (expected === undefined || (error as { code?: unknown }).code !== expected) throw error;
  refusal = error as Error;
} finally {
  // Otherwise an open stream keeps the process alive, whatever the result.
  await client.close();
}
if (refusal) process.stderr.write(`refused, as it should: ${refusal.message}\n`);
else if (expected !== undefined) throw new Error(`${scenario} has to end with the refusal ${expected}, and ended without one`);

async function play(): Promise<void> {
  switch (scenario) {
    case 'initialize':
      // Its server answers tools/list without declaring it.
      break;
    case 'request-metadata':
      await client.request('tools/list').catch(() => {});
      break;
    case 'http-custom-headers': {
      const { toolCalls } = JSON.parse(context) as { toolCalls: { name: string; arguments: Record<string, unknown> }[] };
      await client.listTools();
      for (const call of toolCalls) await client.callTool(call.name, call.arguments);
      break;
    }
    case 'json-schema-ref-no-deref':
      await client.listTools();
      break;
    case 'json-schema-2020-12-preservation': {
      const focal = (await client.listTools()).find(({ name }) => name === 'json_schema_2020_12_tool');
      await client.callTool('json_schema_echo', { schema: focal?.inputSchema });
      break;
    }
    case 'sep-2640-client-no-prefetch':
      await listSkills(client);
      break;
    case 'sep-2640-client-verify-digest':
    case 'sep-2640-client-verify-size':
    case 'sep-2640-client-verify-frontmatter':
      await refuseSkills(scenario.slice(scenario.lastIndexOf('-') + 1));
      break;
    default:
      await everything();
  }
}

/** Loads each skill as a host does: its SKILL.md, then its other files. Each must be refused for this reason. */
async function refuseSkills(reason: string): Promise<void> {
  const { skills } = await listSkills(client);
  if (skills.length === 0) throw new Error('the server lists no skill');
  for (const skill of skills) {
    try {
      await readSkill(client, skill);
      for (const { uri } of skill.resources === 'dynamic' ? [] : skill.resources) await readSkillFile(client, skill, uri);
    } catch (thrown) {
      if (thrown instanceof SkillError && thrown.code === reason) continue;
      throw thrown;
    }
    throw new Error(`${skill.uri} has to be refused for its ${reason}`);
  }
}
