import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import process from 'node:process';
import { PassThrough } from 'node:stream';
import { appBridge, apps, contentSecurityPolicy, loadApp, permissionsPolicy } from '../../src/apps/index.ts';
import { answering, ClientCore, McpClient } from '../../src/client/index.ts';
import { diagnose, fetchProbe } from '../../src/doctor/index.ts';
import { judgeClient, judgeServer, textReport } from '../../src/judge/index.ts';
import { executables } from '../../src/executables/index.ts';
import { fleet, memoryEngine } from '../../src/fleet/index.ts';
import { findAndCall, Host, hostSkills, rule, ToolSearch } from '../../src/host/index.ts';
import { clusterEngine, clusterRelay, serveWorkers } from '../../src/fleet/node/index.ts';
import { chosenConfigFiles, fileLog, openServer, readApplication, readConfigFiles } from '../../src/host/node/index.ts';
import { decode, decodeValue } from '../../src/jsonrpc/index.ts';
import { authorizationCode, bearer, clientCredentials, enterpriseManaged, introspection, jwtBearer, jwtVerifier, oauth, proofReplays } from '../../src/oauth/index.ts';
import { fileStore, login, loopback } from '../../src/oauth/node/index.ts';
import { expandUriTemplate, pinging, uriTemplate } from '../../src/protocol/index.ts';
import { compile as compileFull } from '../../src/schema/full/index.ts';
import { compile } from '../../src/schema/index.ts';
import {
  ask, asking, caching, extend, guards, McpServer, prompts, rehearse, resources, ServerCore, structured, tools,
} from '../../src/server/index.ts';
import type { Context } from '../../src/server/index.ts';
import { folderStore } from '../../src/tasks/node/index.ts';
import { memoryStore, receiveTasks, runTasks, TaskClient, tasks } from '../../src/tasks/index.ts';
import { compareTranscripts, parseTranscript, Replay } from '../../src/transcript/index.ts';
import { getSkill, listSkills, readDirectory, readSkill, readSkillFile, skills } from '../../src/skills/index.ts';
import { readSkills } from '../../src/skills/node/index.ts';
import { fetchHandler, httpTransport as fetchTransport } from '../../src/transport/http/fetch/index.ts';
import { httpListener, httpTransport, rateLimit, serveHttp } from '../../src/transport/http/node/index.ts';
import { serverCard } from '../../src/transport/http/server/server-card.ts';
import { http1Server, requestDecoder, responseDecoder } from '../../src/transport/http1/index.ts';
import { http1Engine } from '../../src/transport/http1/node/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import { messagePortTransport, serveMessagePort } from '../../src/transport/message-port.ts';
import { mqttTransport, serveMqtt } from '../../src/transport/mqtt/index.ts';
import type { MqttConnection } from '../../src/transport/mqtt/index.ts';
import { frames, serialTransport, serveSerial } from '../../src/transport/serial/index.ts';
import { serialPort } from '../../src/transport/serial/node/index.ts';
import { serveSocket, socketTransport } from '../../src/transport/socket/node/index.ts';
import { serveStdio, stdioTransport } from '../../src/transport/stdio/index.ts';
import { tap } from '../../src/transport/tap.ts';
import { webSocketHandler, webSocketTransport } from '../../src/transport/websocket/index.ts';
import type { WebSocketLike } from '../../src/transport/websocket/index.ts';

// A call for each function that takes options.

/** `never` fits every parameter: the tried options have the wrong type. */
type Call = (options: never) => unknown;

/** A call, and base options with which it succeeds. */
export interface Tried {
  readonly call: Call;
  readonly base?: Readonly<Record<string, unknown>>;
}

const info = { name: 'test', version: '1' };
const nothing = (): void => {};
const server = (): McpServer => new McpServer(info);

/** Connects a client to a server with one feature of each kind. */
async function connected<C extends ClientCore>(client: C): Promise<C> {
  const one = server();
  one.tool('echo', {}, () => 'x');
  one.resource('test:x', { name: 'x' }, () => 'x');
  one.prompt('greet', {}, () => 'x');
  await client.connect(memoryTransport(one));
  return client;
}

const skill = { uri: 'skill://a/SKILL.md', frontmatter: { name: 'a', description: 'x' }, resources: 'dynamic' } as const;

/** A client of a server with a skill. */
async function skilled(): Promise<McpClient> {
  const one = server();
  await skills(one, [{ path: 'a', files: { 'SKILL.md': '---\nname: a\ndescription: x\n---\n' } }]);
  const client = new McpClient(info);
  await client.connect(memoryTransport(one));
  return client;
}

/** Runs a tool that asks with the tested options. */
async function asked(question: (ctx: Context) => Promise<unknown>): Promise<void> {
  let thrown: unknown;
  const one = server();
  one.tool('ask', {}, async (_args, ctx) => {
    try {
      await question(ctx);
    } catch (error) {
      thrown = error;
      throw error;
    }
    return 'x';
  });
  const client = new McpClient(info, { onElicit: () => ({ action: 'decline' }), onElicitUrl: () => ({ action: 'decline' }), roots: [] });
  await client.connect(memoryTransport(one));
  await client.callTool('ask');
  if (thrown !== undefined) throw thrown;
}

const sampling = { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }], maxTokens: 1 } as const;
const question = { key: 'x' };
const port = (): InstanceType<typeof MessageChannel>['port1'] => new MessageChannel().port1;
const transcript = parseTranscript('');
const client = { clientId: 'x' };
const issuer = 'https://as.example';
const next = (list: AsyncGenerator<unknown>): Promise<unknown> => list.next();

const inServer: Readonly<Record<string, Tried>> = {
  'ask.text(options)': { call: (options) => ask.text('x', options) },
  'ask.number(options)': { call: (options) => ask.number('x', options) },
  'ask.confirm(options)': { call: (options) => ask.confirm('x', options) },
  'ask.select(options)': { call: (options) => ask.select('x', ['a'], options) },
  'ask.selectMany(options)': { call: (options) => ask.selectMany('x', ['a'], options) },
  'ask.date(options)': { call: (options) => ask.date('x', options) },
  'ask.email(options)': { call: (options) => ask.email('x', options) },
  'ask.form(options)': { call: (options) => ask.form('x', { a: { type: 'string' } }, options) },
  'ask.url(options)': { call: (options) => ask.url('x', 'https://x.example', options) },
  'ask.secret(options)': { call: (options) => ask.secret('x', 'https://x.example', options) },
  'ask.sample(options)': { call: (options) => ask.sample({ ...sampling, messages: [...sampling.messages] }, options) },
  'ask.roots(options)': { call: (options) => ask.roots(options) },
  'asking(given)': { call: (options) => asking(options) },
  'caching(hints)': { call: (options) => caching(options) },
  'Context.elicit(options)': { call: (options) => asked((ctx) => ctx.elicit('x', { a: { type: 'string' } }, options)), base: question },
  'Context.elicitUrl(options)': { call: (options) => asked((ctx) => ctx.elicitUrl('x', 'https://x.example', options)), base: question },
  'Context.sample(options)': { call: (options) => asked((ctx) => ctx.sample({ ...sampling, messages: [...sampling.messages] }, options)), base: question },
  'Context.roots(options)': { call: (options) => asked((ctx) => ctx.roots(options)), base: question },
  'extend(extension)': { call: (options) => extend(server(), options), base: { id: 'org.example/x' } },
  'McpServer.extend(extension)': { call: (options) => server().extend(options), base: { id: 'org.example/x' } },
  'McpServer.constructor(info)': { call: (options) => new McpServer(options), base: info },
  'McpServer.constructor(given)': { call: (options) => new McpServer(info, options) },
  'McpServer.tool(definition)': { call: (options) => server().tool('x', options as object, () => 'x') },
  'McpServer.resource(definition)': { call: (options) => server().resource('test:x', options, () => 'x'), base: { name: 'x' } },
  'McpServer.resourceTemplate(definition)': { call: (options) => server().resourceTemplate('test:{a}', options, () => 'x'), base: { name: 'x' } },
  'McpServer.prompt(definition)': { call: (options) => server().prompt('x', options, () => 'x') },
  'Prompts.add(definition)': { call: (options) => prompts().add('x', options, () => 'x') },
  'Resources.add(definition)': { call: (options) => resources().add('test:x', options, () => 'x'), base: { name: 'x' } },
  'Resources.addTemplate(definition)': { call: (options) => resources().addTemplate('test:{a}', options, () => 'x'), base: { name: 'x' } },
  'Tools.add(definition)': { call: (options) => tools({ validator: compile, structured }).add('x', options as object, () => 'x') },
  'guards(options)': { call: (options) => guards(options) },
  'rehearse(options)': { call: (options) => rehearse(server(), 'x', {}, {}, options) },
  'ServerCore.constructor(info)': { call: (options) => new ServerCore(options, { features: [] }), base: info },
  'ServerCore.constructor(options)': { call: (options) => new ServerCore(info, options), base: { features: [] } },
  'tools(options)': { call: (options) => tools(options) },
};

/** The calls of every client; `of` makes a connected one. */
const ofCore = (name: string, of: () => Promise<ClientCore>): Readonly<Record<string, Tried>> => ({
  [`${name}.request(options)`]: { call: async (options) => (await of()).request('ping', {}, options) },
  [`${name}.list(options)`]: { call: async (options) => next((await of()).list('tools/list', 'tools', options)) },
  [`${name}.tools(options)`]: { call: async (options) => next((await of()).tools(options)) },
  [`${name}.listTools(options)`]: { call: async (options) => (await of()).listTools(options) },
  [`${name}.callTool(options)`]: { call: async (options) => (await of()).callTool('echo', {}, options) },
  [`${name}.setLogLevel(options)`]: { call: async (options) => (await of()).setLogLevel('info', options) },
  [`${name}.ping(options)`]: { call: async (options) => (await of()).ping(options) },
});

const ofClient = (name: string, of: () => Promise<McpClient>): Readonly<Record<string, Tried>> => ({
  ...ofCore(name, of),
  [`${name}.resources(options)`]: { call: async (options) => next((await of()).resources(options)) },
  [`${name}.resourceTemplates(options)`]: { call: async (options) => next((await of()).resourceTemplates(options)) },
  [`${name}.prompts(options)`]: { call: async (options) => next((await of()).prompts(options)) },
  [`${name}.listResources(options)`]: { call: async (options) => (await of()).listResources(options) },
  [`${name}.listResourceTemplates(options)`]: { call: async (options) => (await of()).listResourceTemplates(options) },
  [`${name}.listPrompts(options)`]: { call: async (options) => (await of()).listPrompts(options) },
  [`${name}.readResource(options)`]: { call: async (options) => (await of()).readResource('test:x', options) },
  [`${name}.getPrompt(options)`]: { call: async (options) => (await of()).getPrompt('greet', {}, options) },
  [`${name}.complete(options)`]: { call: async (options) => (await of()).complete({ type: 'ref/prompt', name: 'greet' }, { name: 'a', value: '' }, {}, options) },
  [`${name}.subscribe(options)`]: { call: async (options) => (await of()).subscribe('test:x', options) },
  [`${name}.unsubscribe(options)`]: { call: async (options) => (await of()).unsubscribe('test:x', options) },
});

const mcpClient = once(() => connected(new McpClient(info)));
const coreClient = once(() => connected(new ClientCore(info)));
const taskClient = once(() => connected(new TaskClient(info)));

/** Makes the client once, for all its calls. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => made ??= make();
}

const inClient: Readonly<Record<string, Tried>> = {
  'answering(given)': { call: (options) => answering(options) },
  'ClientCore.constructor(info)': { call: (options) => new ClientCore(options), base: info },
  'ClientCore.constructor(options)': { call: (options) => new ClientCore(info, options) },
  'McpClient.constructor(info)': { call: (options) => new McpClient(options), base: info },
  'McpClient.constructor(given)': { call: (options) => new McpClient(info, options) },
  ...ofCore('ClientCore', coreClient),
  ...ofClient('McpClient', mcpClient),
};

const inTasks: Readonly<Record<string, Tried>> = {
  ...ofClient('TaskClient', taskClient),
  'TaskClient.constructor(info)': { call: (options) => new TaskClient(options), base: info },
  'TaskClient.constructor(options)': { call: (options) => new TaskClient(info, options) },
  'TaskClient.startTool(options)': { call: async (options) => (await taskClient()).startTool('echo', {}, options) },
  'TaskClient.task(options)': { call: async (options) => (await taskClient()).task('x', options) },
  'tasks(options)': { call: (options) => tasks(server(), options) },
  'runTasks(options)': { call: (options) => runTasks(server(), memoryStore(), options) },
  'memoryStore(options)': { call: (options) => memoryStore(options) },
  'receiveTasks(limits)': { call: (options) => receiveTasks(answering({}), options) },
};

const offline = (): MqttConnection => ({
  publishAsync: async () => {}, subscribeAsync: async () => {}, unsubscribeAsync: async () => {}, endAsync: async () => {},
  on: (event: string, listener: (...values: never[]) => void) => event === 'connect' && setImmediate(() => void Reflect.apply(listener, undefined, [])),
});
const wire = { write: nothing, read: nothing };
const webSocket: WebSocketLike = { readyState: 1, send: nothing, close: nothing, addEventListener: nothing, removeEventListener: nothing };

const ofTransports: Readonly<Record<string, Tried>> = {
  'barewire/mqtt serveMqtt(options)': { call: (options) => serveMqtt(server(), offline, options), base: { name: 'x' } },
  'barewire/mqtt mqttTransport(options)': { call: (options) => mqttTransport(offline, options), base: { server: 'x' } },
  'barewire/serial frames(options)': { call: (options) => frames(options) },
  'barewire/serial serialTransport(options)': { call: (options) => serialTransport(wire, options) },
  'barewire/serial serveSerial(options)': { call: (options) => serveSerial(server(), wire, options) },
  'barewire/serial/node serialPort(options)': { call: (options) => serialPort('/dev/null', options) },
  'barewire/stdio stdioTransport(options)': { call: (options) => stdioTransport(process.execPath, [], options) },
  'barewire/stdio serveStdio(options)': { call: (options) => serveStdio(server(), options), base: { stdin: new PassThrough().end(), stdout: new PassThrough(), console: false } },
  'barewire/http httpListener(options)': { call: (options) => httpListener(server(), options) },
  'barewire/http HttpListener.close(options)': { call: (options) => httpListener(server()).close(options) },
  'barewire/http serveHttp(options)': { call: (options) => serveHttp(server(), options) },
  'barewire/http HttpServer.close(options)': {
    async call(options) {
      const serving = await serveHttp(server());
      await serving.close(options).finally(() => serving.close({ drainMs: 0 }));
    },
  },
  'barewire/server-card serverCard(options)': { call: (options) => serverCard(server(), options), base: { name: 'com.example/x', description: 'x' } },
  'barewire/http rateLimit(options)': { call: (options) => rateLimit(() => undefined, options), base: { requests: 1 } },
  'barewire/http httpTransport(options)': { call: (options) => httpTransport('http://127.0.0.1:1/', options) },
  'barewire/http1 http1Server(options)': { call: (options) => http1Server(server(), options) },
  'barewire/http1 Http1Server.close(options)': { call: (options) => http1Server(server()).close(options) },
  'barewire/http1 requestDecoder(options)': { call: (options) => requestDecoder(options) },
  'barewire/http1 responseDecoder(options)': { call: (options) => responseDecoder(() => 'GET', options) },
  'barewire/http1/node http1Engine(options)': { call: (options) => http1Engine(options) },
  'barewire/fetch fetchHandler(options)': { call: (options) => fetchHandler(server(), options) },
  'barewire/fetch FetchHandler.close(options)': { call: (options) => fetchHandler(server()).close(options) },
  'barewire/fetch httpTransport(options)': { call: (options) => fetchTransport('http://127.0.0.1:1/', options) },
  'barewire/memory memoryTransport(options)': { call: (options) => memoryTransport(server(), options) },
  'barewire/message-port messagePortTransport(options)': { call: (options) => messagePortTransport(port(), options) },
  'barewire/message-port serveMessagePort(options)': { call: (options) => serveMessagePort(server(), port(), options) },
  'barewire/tap tap(options)': { call: (options) => tap(() => memoryTransport(server()), options) },
  'barewire/websocket webSocketTransport(options)': { call: (options) => webSocketTransport(webSocket, options) },
  'barewire/websocket webSocketHandler(options)': { call: (options) => webSocketHandler(server(), options) },
  'barewire/websocket WebSocketHandler.close(options)': { call: (options) => webSocketHandler(server()).close(options) },
  'barewire/socket/node socketTransport(options)': { call: (options) => socketTransport(join(tmpdir(), 'barewire-options.sock'), options) },
  'barewire/socket/node serveSocket(options)': {
    call: async (options) => (await serveSocket(server(), join(mkdtempSync(join(tmpdir(), 'barewire-options-')), 'socket'), options)).close(),
  },
  'barewire/schema compile(options)': { call: (options) => compile({}, options) },
  'barewire/schema/full compile(options)': { call: (options) => compileFull({}, options) },
  'barewire/jsonrpc decode(limits)': { call: (options) => decode('{}', options) },
  'barewire/jsonrpc decodeValue(limits)': { call: (options) => decodeValue({}, options) },
  'barewire/protocol pinging(options)': { call: (options) => pinging(options) },
  'barewire/protocol uriTemplate(limits)': { call: (options) => uriTemplate('test:{a}', options) },
  'barewire/protocol expandUriTemplate(limits)': { call: (options) => expandUriTemplate('test:{a}', {}, options) },
};

const ofAuthorization: Readonly<Record<string, Tried>> = {
  'barewire/oauth oauth(options)': { call: (options) => oauth(options), base: { grant: clientCredentials(client) } },
  'barewire/oauth authorizationCode(options)': { call: (options) => authorizationCode(options), base: { client: {}, onAuthorize: nothing, redirectUri: 'http://127.0.0.1/' } },
  'barewire/oauth clientCredentials(registered)': { call: (options) => clientCredentials(options), base: client },
  'barewire/oauth enterpriseManaged(given)': {
    call: (options) => enterpriseManaged(options),
    base: { ...client, identityAssertion: 'x', identityProvider: { ...client, issuer } },
  },
  'barewire/oauth jwtBearer(options)': { call: (options) => jwtBearer(options), base: { ...client, assertion: 'x' } },
  'barewire/oauth bearer(options)': { call: (options) => bearer(options), base: { resource: 'https://x.example/mcp', authorizationServers: [issuer] } },
  'barewire/oauth introspection(options)': { call: (options) => introspection(options), base: { ...client, issuer, endpoint: issuer } },
  'barewire/oauth jwtVerifier(options)': { call: (options) => jwtVerifier(options) },
  'barewire/tasks/node folderStore(options)': { call: (options) => folderStore(join(tmpdir(), 'barewire-options-store'), options) },
  'barewire/oauth proofReplays(limits)': { call: (options) => proofReplays(options) },
  'barewire/oauth/node fileStore(given)': { call: (options) => fileStore(options) },
  'barewire/oauth/node login(given)': { call: (options) => login(options) },
  'barewire/oauth/node loopback(options)': { call: (options) => loopback(options) },
};

const program = { command: process.execPath };
const hostOptions = { info, servers: {}, transport: () => memoryTransport(server()) };

const ofHost: Readonly<Record<string, Tried>> = {
  'barewire/host Host.constructor(options)': { call: (options) => new Host(options), base: hostOptions },
  'barewire/host Host.add(config)': { call: (options) => new Host(hostOptions).add('x', options) },
  'barewire/host Host.call(options)': { call: (options) => new Host(hostOptions).call('x', {}, options) },
  'barewire/host Host.readResource(options)': { call: (options) => withServer((host) => host.readResource('one', 'test:x', options)) },
  'barewire/host Host.skills(options)': { call: (options) => withSkill((host) => host.skills('one', options)) },
  'barewire/host Host.loadSkill(options)': { call: (options) => withSkill((host) => host.loadSkill('one', skill.uri, options)) },
  'barewire/host LoadedSkill.read(options)': { call: (options) => withSkill(async (host) => (await host.loadSkill('one', skill.uri)).read('SKILL.md', options)) },
  'barewire/host Host.getPrompt(options)': { call: (options) => withServer((host) => host.getPrompt('one', 'greet', {}, options)) },
  'barewire/host findAndCall(options)': { call: (options) => findAndCall(new Host(hostOptions), options) },
  'barewire/host FindAndCall.call(options)': { call: (options) => findAndCall(new Host(hostOptions)).call('find_tools', {}, options) },
  'barewire/host ToolSearch.constructor(options)': { call: (options) => new ToolSearch([], options) },
  'barewire/host rule(rules)': {
    call: (options) => rule([options], { server: 'x', trusted: false, tool: { name: 'x', inputSchema: { type: 'object' } }, args: {} }),
    base: { then: 'allow' },
  },
  'barewire/host rule(call)': {
    call: (options) => rule([], options), base: { server: 'x', trusted: false, tool: { name: 'x', inputSchema: { type: 'object' } }, args: {} },
  },
  'barewire/host/node chosenConfigFiles(chosen)': { call: (options) => chosenConfigFiles(options), base: { home: '/nowhere' } },
  'barewire/host/node readApplication(reading)': { call: (options) => readApplication('claude-desktop', options) },
  'barewire/host/node readConfigFiles(files)': { call: (options) => readConfigFiles([options]), base: { file: '/nowhere/x', owner: 'user' } },
  'barewire/host/node readConfigFiles(reading)': { call: (options) => readConfigFiles([], options) },
  'barewire/host/node fileLog(options)': { call: (options) => fileLog('/nowhere/x', options) },
  'barewire/host/node openServer(config)': { call: (options) => openServer('x', options, { trace: nothing, onStderr: nothing }) },
};

async function withServer(use: (host: Host) => Promise<unknown>): Promise<unknown> {
  const host = new Host({ ...hostOptions, servers: { one: program } });
  try {
    return await use(host);
  } finally {
    await host.close();
  }
}

const ofOthers: Readonly<Record<string, Tried>> = {
  'barewire/fleet fleet(options)': { call: (options) => fleet(options), base: { keys: [new Uint8Array(32)], engine: memoryEngine() } },
  'barewire/fleet memoryEngine(options)': { call: (options) => memoryEngine(options) },
  'barewire/fleet/node clusterEngine(options)': { call: (options) => clusterEngine(options) },
  'barewire/fleet/node serveWorkers(options)': { call: (options) => serveWorkers(() => Promise.reject(new Error('not served')), options) },
  'barewire/fleet/node clusterRelay(options)': { call: (options) => clusterRelay(options) },
  'barewire/apps apps(options)': { call: (options) => apps(server(), options) },
  'barewire/apps Apps.app(definition)': { call: (definition) => apps(server()).app('ui://x', definition, '<!doctype html><p>x') },
  'barewire/apps loadApp(options)': { call: (options) => loadApp(async () => ({ contents: [{ uri: 'ui://x', mimeType: 'text/html;profile=mcp-app', text: '<!doctype html>' }] }), 'ui://x', options) },
  'barewire/apps appBridge(options)': { call: (options) => appBridge({ post: nothing, listen: () => nothing }, options), base: { info } },
  'barewire/apps contentSecurityPolicy(csp)': { call: (csp) => contentSecurityPolicy(csp) },
  'barewire/apps permissionsPolicy(permissions)': { call: (permissions) => permissionsPolicy(permissions) },
  'barewire/host HostApp.callTool(options)': { call: (options) => withSkill((host) => host.app('one').callTool('none', {}, options)) },
  'barewire/host HostApp.readResource(options)': { call: (options) => withSkill((host) => host.app('one').readResource('skill://a/SKILL.md', options)) },
  'barewire/skills skills(options)': { call: (options) => skills(server(), [], options) },
  'barewire/skills/node readSkills(options)': { call: (options) => readSkills('/nowhere', options) },
  'barewire/skills listSkills(options)': { call: async (options) => listSkills(await skilled(), options) },
  'barewire/skills getSkill(options)': { call: async (options) => getSkill(await skilled(), skill.uri, options) },
  'barewire/skills readDirectory(options)': { call: async (options) => readDirectory(await skilled(), 'skill://a', options) },
  'barewire/skills readSkill(options)': { call: async (options) => readSkill(await skilled(), skill, options) },
  'barewire/skills readSkillFile(options)': { call: async (options) => readSkillFile(await skilled(), skill, 'SKILL.md', options) },
  'barewire/executables executables(options)': { call: (options) => executables(server(), '/nowhere', options) },
  'barewire/transcript compareTranscripts(options)': { call: (options) => compareTranscripts(transcript, transcript, options) },
  'barewire/transcript Replay.constructor(options)': { call: (options) => new Replay(transcript, 'client', options) },
  'barewire/doctor diagnose(subject)': { call: (options) => diagnose(options), base: { name: 'x', open: () => memoryTransport(server()) } },
  'barewire/doctor diagnose(options)': { call: (options) => diagnose({ name: 'x', open: () => memoryTransport(server()) }, options) },
  'barewire/judge judgeServer(server)': { call: (options) => judgeServer(options, { revisions: [] }), base: { name: 'x', open: () => memoryTransport(server()) } },
  'barewire/judge judgeClient(options)': { call: (options) => judgeClient({ name: 'x', ways: [], start: () => Promise.reject(new Error('no start')) }, options), base: {} },
  'barewire/judge textReport(options)': {
    call: (options) => textReport({ target: 'x', role: 'server', ruleSet: '1', seed: 1, revisions: [], judgements: [], others: [], failures: [], ms: 0 }, options),
  },
  'barewire/judge judgeServer(options)': { call: (options) => judgeServer({ name: 'x', open: () => memoryTransport(server()) }, options), base: { revisions: [] } },
  'barewire/doctor fetchProbe(options)': { call: (options) => fetchProbe(fetch, options) },
};

/** Members that a type requires, or that distinguish it from another, by type name. */
export const bases: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  ProgramConfig: program, AddressConfig: { url: 'http://127.0.0.1:1/' },
  CardRemote: { type: 'sse', url: 'https://x.example/' }, CardHeader: { name: 'x' }, CardRepository: { url: 'https://x.example/', source: 'git' },
};

const inEntry = (entry: string, calls: Readonly<Record<string, Tried>>): [string, Tried][] =>
  Object.entries(calls).map(([name, tried]) => [`${entry} ${name}`, tried]);

/** By the name of the place. */
export const calls: ReadonlyMap<string, Tried> = new Map([
  ...inEntry('barewire/server', inServer), ...inEntry('barewire/client', inClient), ...inEntry('barewire/tasks', inTasks),
  ...[ofTransports, ofAuthorization, ofHost, ofOthers].flatMap((some) => Object.entries(some)),
]);

/** A host with a server that has a skill, which the user allows. */
async function withSkill(use: (host: Host) => Promise<unknown>): Promise<unknown> {
  const one = server();
  await skills(one, [{ path: 'a', files: { 'SKILL.md': '---\nname: a\ndescription: x\n---\n' } }]);
  const host = new Host({ info, servers: { one: program }, transport: () => memoryTransport(one), skills: hostSkills, person: { approveSkill: async () => ({ allow: 'once' }) } });
  try {
    return await use(host);
  } finally {
    await host.close();
  }
}
