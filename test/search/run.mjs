// npm run search: measures how well a host's search finds the tools of ten popular servers with 60 requests, and how much a model
// reads in ten tasks with find_tools and call_tool instead of the whole list. The real servers run without credentials: they are
// only listed. Exits 1 below the required values.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findAndCall, findTools, Host, searchables, ToolSearch } from '../../dist/lib/host.js';
import { openServer } from '../../dist/lib/host-node.js';
import { plainBm25 } from './plain-bm25.mjs';
import { requests } from './requests.mjs';
import { tasks } from './tasks.mjs';
import { readWords } from '../../scripts/words.mjs';

readWords();

/** How many of the 30 untuned requests must find their tool among the first three; and the maximum share of the list. */
const [wanted, mostShare] = [22, 0.15];

const folder = mkdtempSync(join(tmpdir(), 'barewire-search-'));
const program = (name, args = [], env = {}) => ({ command: process.execPath, args: [fileURLToPath(new URL(`node_modules/.bin/${name}`, import.meta.url)), ...args], env });
const servers = {
  everything: program('mcp-server-everything'),
  filesystem: program('mcp-server-filesystem', [folder]),
  memory: program('mcp-server-memory', [], { MEMORY_FILE_PATH: join(folder, 'memory.json') }),
  github: program('mcp-server-github', [], { GITHUB_PERSONAL_ACCESS_TOKEN: 'none' }),
  gitlab: program('mcp-server-gitlab', [], { GITLAB_PERSONAL_ACCESS_TOKEN: 'none' }),
  slack: program('mcp-server-slack', [], { SLACK_BOT_TOKEN: 'none', SLACK_TEAM_ID: 'none' }),
  maps: program('mcp-server-google-maps', [], { GOOGLE_MAPS_API_KEY: 'none' }),
  brave: program('mcp-server-brave-search', [], { BRAVE_API_KEY: 'none' }),
  playwright: program('playwright-mcp'),
  notion: program('notion-mcp-server', [], { NOTION_TOKEN: 'none' }),
};

const host = new Host({
  info: { name: 'search', version: '1.0.0' }, servers, transport: openServer,
  onError: (error, server) => console.error(server, error.message),
});
try {
  const tools = await host.tools();
  const missing = Object.keys(servers).filter((name) => !tools.some(({ server }) => server === name));
  if (missing.length > 0) throw new Error(`no tools of ${missing.join(', ')}`);
  const nameOf = ({ server, tool }) => `${server}/${tool.name}`;
  const bm25 = plainBm25(tools.map((one) => ({ name: nameOf(one), tool: one.tool })));
  const finders = {
    'plain BM25': async (request) => bm25(request, 5),
    'the host': async (request) => (await findTools(host, request, 5)).map(nameOf),
  };
  console.log(`${tools.length} tools of ${Object.keys(servers).length} servers; of 30 requests each, how many have their tool first, among 3, among 5`);
  for (const half of ['tuned on', 'reported']) {
    for (const [what, find] of Object.entries(finders)) {
      const places = await Promise.all(requests.filter((one) => one.half === half)
        .map(async ({ request, tools: fitting }) => (await find(request)).findIndex((name) => fitting.includes(name))));
      const within = (most) => places.filter((at) => at >= 0 && at < most).length;
      console.log(`${half.padEnd(9)} ${what.padEnd(10)}  ${[1, 3, 5].map((most) => `${within(most)}`.padStart(3)).join(' ')}`);
      if (half === 'reported' && what === 'the host' && within(3) < wanted) fail(`${within(3)} of 30 among the first three, and ${wanted} are wanted`);
    }
  }
  await readOverTasks(tools);
  await otherKinds();
} finally {
  await host.close();
  rmSync(folder, { recursive: true, force: true });
}

/** The bytes that a model reads: in each task the whole list, or the two tools and the results of its searches. */
async function readOverTasks(tools) {
  const two = findAndCall(host);
  const bytes = (value) => Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));
  const offer = (list) => list.map(({ name, tool: { description, inputSchema } }) => ({ name, description, inputSchema }));
  const plain = tasks.length * bytes(offer(tools));
  let read = 0;
  for (const { searches, needs } of tasks) {
    read += bytes(offer(two.tools));
    const found = [];
    for (const request of searches) {
      const { content: [{ text }] } = await two.call('find_tools', { request });
      read += bytes(text);
      for (const line of text.split('\n')) found.push(JSON.parse(line));
    }
    for (const name of needs) {
      const one = found.find((tool) => tool.name === name && typeof tool.inputSchema === 'object');
      if (!one) fail(`the task "${searches.join('; ')}" did not find ${name} with its schema`);
    }
  }
  const share = read / plain;
  console.log(`ten tasks, ${tasks.reduce((sum, { searches }) => sum + searches.length, 0)} searches: ${read} bytes read, and ${plain} of the whole list: ${(100 * share).toFixed(1)} %`);
  if (share > mostShare) fail(`more than ${100 * mostShare} % of the list`);
}

/** Tests that prompts and resources are found like tools. */
async function otherKinds() {
  const all = new ToolSearch(searchables(await host.catalogue()));
  for (const [request, kind, name] of [['a prompt that takes arguments', 'prompt', /^args-prompt$/], ['the architecture document', 'resource', /architecture/], ['dynamic text resource template', 'template', /dynamic.*text/i]]) {
    const found = all.find(request, 3).filter((one) => kind in one).map((one) => one[kind].name);
    console.log(`${kind}: "${request}" finds ${found.join(', ') || 'nothing'}`);
    if (!found.some((one) => name.test(one))) fail(`no ${kind} for "${request}"`);
  }
}

function fail(why) {
  console.error(why);
  process.exitCode = 1;
}
