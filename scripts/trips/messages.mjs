// The kinds of messages whose trip is followed. `open(house)` sets up the steady state and returns `{ play, close }`: `play`
// sends one message and resolves with its response; it throws for a wrong one.
import { PassThrough } from 'node:stream';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const clientInfo = { name: 'trips', version: '1.0.0' };
const modern = '2026-07-28';
const legacy = '2025-11-25';
const initialize = (capabilities) => ({ id: 'first', method: 'initialize', params: { protocolVersion: legacy, capabilities, clientInfo } });
const initialized = { method: 'notifications/initialized' };
const capabilities = { elicitation: { form: {} } };
const modernMeta = (extensions = {}) => ({
  'io.modelcontextprotocol/protocolVersion': modern,
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': { ...capabilities, extensions },
});
const call = (name, given, more) => ({ method: 'tools/call', params: { name, arguments: given, ...more } });
const add = (more) => call('add', { a: 1, b: 2 }, more);

let lastId = 0;
const nextId = () => `trip-${++lastId}`;

/** Throws if an answer is not the expected one. */
function expect(answer, text) {
  const found = answer.result?.content?.[0]?.text;
  if (found !== text) throw new Error(`expected the result ${JSON.stringify(text)}, and got ${JSON.stringify(answer)}`);
}

function serverOf({ McpServer, handler }) {
  const server = new McpServer({ name: 'trips', version: '1.0.0' });
  const input = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] };
  server.tool('add', { input }, handler(({ a, b }) => `${a + b}`));
  server.tool('choose', {}, handler(async (_, ctx) => {
    const { content } = await ctx.elicit('Which seat?', { seat: { type: 'string' } });
    return `got ${content?.seat}`;
  }));
  return server;
}

/** Runs a stdio server in this process. `ask` sends a message and resolves with the next one received. */
function overPipes({ serveStdio }, server) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const serving = serveStdio(server, { stdin, stdout, console: false });
  const came = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const send = (message) => stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask = async (message) => {
    send(message);
    return JSON.parse((await came.next()).value);
  };
  return { send, ask, close: () => serving.close() };
}

async function legacyPipes(house) {
  const pipes = overPipes(house, serverOf(house));
  await pipes.ask(initialize(capabilities));
  pipes.send(initialized);
  return pipes;
}

const stdioLegacy = {
  name: 'stdio legacy',
  async open(house) {
    const { ask, close } = await legacyPipes(house);
    return { play: async () => expect(await ask({ id: nextId(), ...add() }), '3'), close };
  },
};

const stdioModern = {
  name: `stdio ${modern}`,
  open(house) {
    const { ask, close } = overPipes(house, serverOf(house));
    return { play: async () => expect(await ask({ id: nextId(), ...add({ _meta: modernMeta() }) }), '3'), close };
  },
};

/** Posts messages to a server over one connection. Resolves with the headers and the first message of each response. */
async function overHttp({ serveHttp }, server) {
  const { url, close } = await serveHttp(server);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const post = (message, headers) => new Promise((resolve, reject) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const sent = request(url, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json', 'accept': 'application/json, text/event-stream', 'content-length': Buffer.byteLength(body), ...headers },
    });
    sent.on('error', reject);
    sent.on('response', async (response) => {
      const text = (await response.toArray()).join('');
      const [, data = text] = /^data: (\{.*)$/m.exec(text) ?? [];
      resolve({ headers: response.headers, message: data === '' ? {} : JSON.parse(data) });
    });
    sent.end(body);
  });
  return { post, close: () => { agent.destroy(); return close({ drainMs: 0 }); } };
}

const httpModern = {
  name: `HTTP ${modern}`,
  async open(house) {
    const { post, close } = await overHttp(house, serverOf(house));
    const headers = { 'mcp-protocol-version': modern, 'mcp-method': 'tools/call', 'mcp-name': 'add' };
    const play = async () => expect((await post({ id: nextId(), ...add({ _meta: modernMeta() }) }, headers)).message, '3');
    return { play, close };
  },
};

const httpSession = {
  name: 'HTTP session',
  async open(house) {
    const { post, close } = await overHttp(house, serverOf(house));
    const { headers: { 'mcp-session-id': id } } = await post(initialize({}), {});
    const headers = { 'mcp-session-id': id, 'mcp-protocol-version': legacy };
    await post(initialized, headers);
    const play = async () => expect((await post({ id: nextId(), ...add() }, headers)).message, '3');
    return { play, close };
  },
};

const client = (name, era) => ({
  name,
  async open({ McpClient, stdioTransport }) {
    const asking = new McpClient(clientInfo, { era });
    await asking.connect(stdioTransport(process.execPath, [fileURLToPath(new URL('peer.mjs', import.meta.url))]));
    return { play: async () => expect({ result: await asking.callTool('add', { a: 1, b: 2 }) }, '3'), close: () => asking.close() };
  },
});

const answered = { action: 'accept', content: { seat: '4C' } };

const questionLegacy = {
  name: 'question legacy',
  async open(house) {
    const { ask, close } = await legacyPipes(house);
    const play = async () => {
      const question = await ask({ id: nextId(), ...call('choose', {}) });
      if (question.method !== 'elicitation/create') throw new Error(`expected a question, and got ${JSON.stringify(question)}`);
      expect(await ask({ id: question.id, result: answered }), 'got 4C');
    };
    return { play, close };
  },
};

const questionModern = {
  name: `question ${modern}`,
  open(house) {
    const { ask, close } = overPipes(house, serverOf(house));
    const _meta = modernMeta();
    const play = async () => {
      const { result } = await ask({ id: nextId(), ...call('choose', {}, { _meta }) });
      const inputResponses = Object.fromEntries(Object.keys(result.inputRequests).map((key) => [key, answered]));
      expect(await ask({ id: nextId(), ...call('choose', {}, { _meta, inputResponses, requestState: result.requestState }) }), 'got 4C');
    };
    return { play, close };
  },
};

const task = {
  name: 'task',
  needs: 'tasks',
  open(house) {
    const { tasks, handler, settled } = house;
    const server = serverOf(house);
    tasks(server);
    server.tool('work', { task: 'optional' }, handler(async (_, ctx) => `worked ${await ctx.once('step', handler(() => 7))}`));
    const { ask, close } = overPipes(house, server);
    const _meta = modernMeta({ 'io.modelcontextprotocol/tasks': {} });
    const play = async () => {
      const { result: { taskId } } = await ask({ id: nextId(), ...call('work', {}, { _meta }) });
      await settled();
      const { result } = await ask({ id: nextId(), method: 'tasks/get', params: { taskId, _meta } });
      if (result?.status !== 'completed') throw new Error(`expected a completed task, and got ${JSON.stringify(result)}`);
      expect(result, 'worked 7');
    };
    return { play, close };
  },
};

export const messages = [
  stdioLegacy, stdioModern, httpModern, httpSession, client('client legacy', 'legacy'), client(`client ${modern}`, 'modern'),
  questionLegacy, questionModern, task,
];
