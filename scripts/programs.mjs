// The programs whose size (size.mjs) and reading length (reading.mjs) are measured. Each is complete: the code of a user who
// wants only this. The servers have tools; `mcp-server` has every feature.
const tools = (options) => `
      import { ServerCore, tools } from 'barewire/server';
      const echo = tools(${options});
      const server = new ServerCore({ name: 'size', version: '1.0.0' }, { features: [echo] });
      const input = { type: 'object', properties: { text: { type: 'string' } } };
      echo.add('echo', { input }, ({ text }) => text);`;
const stdio = `
      import { serveStdio } from 'barewire/stdio';
      serveStdio(server);`;
const http = `
      import { serveHttp } from 'barewire/http';
      serveHttp(server, { port: 3000 });`;
const judgedTools = `import { compile } from 'barewire/schema';` + tools('{ validator: compile }');
const mcpServer = `
      import { McpServer } from 'barewire/server';
      const server = new McpServer({ name: 'size', version: '1.0.0' });
      server.tool('echo', { input: { type: 'object', properties: { text: { type: 'string' } } } }, ({ text }) => text);`;

/** `also`: an alias of the program. */
export const programs = [
  {
    name: 'stdio-tools',
    what: 'stdio server of tools, both eras',
    platform: 'node',
    code: tools('{}') + stdio,
  },
  {
    name: 'serial-lines',
    what: 'server of tools over a wire, lines',
    platform: 'neutral',
    code: tools('{}') + `
      import { serveSerial } from 'barewire/serial';
      serveSerial(server, globalThis.wire);`,
  },
  {
    name: 'serial-frames',
    what: 'server of tools over a wire, frames',
    platform: 'neutral',
    code: tools('{}') + `
      import { frames, serveSerial } from 'barewire/serial';
      serveSerial(server, globalThis.wire, { framing: frames() });`,
  },
  {
    name: 'stdio-server',
    what: 'stdio server of tools, with the validator',
    platform: 'node',
    code: judgedTools + stdio,
  },
  {
    name: 'http-server',
    also: 'http-tools',
    what: 'HTTP server of tools, with the validator',
    platform: 'node',
    code: judgedTools + http,
  },
  {
    name: 'server-card',
    what: 'the HTTP server with its card',
    platform: 'node',
    code: judgedTools + `
      import { serveHttp } from 'barewire/http';
      import { serverCard } from 'barewire/server-card';
      serveHttp(server, { port: 3000, card: serverCard(server, { name: 'com.example/size' }) });`,
  },
  {
    name: 'protected',
    what: 'the HTTP server behind bearer()',
    platform: 'node',
    code: judgedTools + `
      import { serveHttp } from 'barewire/http';
      import { bearer } from 'barewire/oauth';
      const resource = 'https://trips.example/mcp';
      serveHttp(server, { port: 3000, auth: bearer({ resource, authorizationServers: ['https://as.example'] }) });`,
  },
  {
    name: 'mcp-server',
    also: 'mcp-server-stdio',
    what: 'McpServer over stdio: every feature',
    platform: 'node',
    code: mcpServer + stdio,
  },
  {
    name: 'mcp-server-http',
    what: 'McpServer over HTTP: every feature',
    platform: 'node',
    code: mcpServer + http,
  },
  {
    name: 'tasks-server',
    what: 'McpServer over stdio with tasks in a folder',
    platform: 'node',
    code: `
      import { McpServer } from 'barewire/server';
      import { tasks } from 'barewire/tasks';
      import { folderStore } from 'barewire/tasks/node';
      const server = new McpServer({ name: 'size', version: '1.0.0' });
      tasks(server, { store: await folderStore('tasks') });
      server.tool('echo', { task: 'optional' }, () => 'done');` + stdio,
  },
  {
    name: 'fleet-server',
    what: 'http-server as one of several behind a balancer',
    platform: 'node',
    code: judgedTools + `
      import { serveHttp } from 'barewire/http';
      import { fleet } from 'barewire/fleet';
      serveHttp(server, { port: 3000, fleet: await fleet({ keys: [new Uint8Array(32)] }) });`,
  },
  {
    name: 'http-caller',
    what: 'client over HTTP that calls',
    platform: 'neutral',
    code: `
      import { ClientCore } from 'barewire/client';
      import { httpTransport } from 'barewire/fetch';
      const client = new ClientCore({ name: 'size', version: '1.0.0' });
      await client.connect(httpTransport('http://127.0.0.1:3000/mcp'));
      console.log(await client.callTool('echo', { text: 'hello' }));`,
  },
  {
    name: 'client-stdio',
    what: 'client over stdio that calls',
    platform: 'node',
    code: `
      import { ClientCore } from 'barewire/client';
      import { stdioTransport } from 'barewire/stdio';
      const client = new ClientCore({ name: 'size', version: '1.0.0' });
      await client.connect(stdioTransport('server'));
      console.log(await client.callTool('echo', { text: 'hello' }));`,
  },
  {
    name: 'http-client',
    what: 'McpClient over HTTP: every part',
    platform: 'neutral',
    code: `
      import { McpClient } from 'barewire/client';
      import { httpTransport } from 'barewire/fetch';
      const client = new McpClient({ name: 'size', version: '1.0.0' });
      await client.connect(httpTransport('http://127.0.0.1:3000/mcp'));
      console.log(await client.callTool('echo', { text: 'hello' }));`,
  },
  {
    name: 'schema-full',
    what: 'validator of the whole dialect',
    platform: 'neutral',
    code: `
      import { compile } from 'barewire/schema/full';
      globalThis.validate = compile({ type: 'object' });`,
  },
  {
    name: 'oauth-login',
    what: 'client that calls, with a login',
    platform: 'neutral',
    code: `
      import { ClientCore } from 'barewire/client';
      import { httpTransport } from 'barewire/fetch';
      import { authorizationCode, oauth } from 'barewire/oauth';
      const client = new ClientCore({ name: 'size', version: '1.0.0' });
      const auth = oauth({
        grant: authorizationCode({ client: { name: 'size' }, redirectUri: 'https://app.example/callback', onAuthorize: console.log }),
      });
      await client.connect(httpTransport('http://127.0.0.1:3000/mcp', { auth }));
      console.log(await client.callTool('echo', { text: 'hello' }));`,
  },
  {
    name: 'oauth-service',
    what: 'client that calls, with client credentials',
    platform: 'neutral',
    code: `
      import { ClientCore } from 'barewire/client';
      import { httpTransport } from 'barewire/fetch';
      import { clientCredentials, oauth } from 'barewire/oauth';
      const client = new ClientCore({ name: 'size', version: '1.0.0' });
      const auth = oauth({ grant: clientCredentials({ clientId: 'size', clientSecret: 'secret' }) });
      await client.connect(httpTransport('http://127.0.0.1:3000/mcp', { auth }));
      console.log(await client.callTool('echo', { text: 'hello' }));`,
  },
  {
    name: 'validator',
    what: 'validator alone',
    platform: 'neutral',
    code: `
      import { compile } from 'barewire/schema';
      globalThis.validate = compile({ type: 'object' });`,
  },
  {
    name: 'host',
    what: 'Host with its clients, over any transport',
    platform: 'neutral',
    code: `
      import { Host } from 'barewire/host';
      globalThis.host = new Host({ info: { name: 'size', version: '1.0.0' }, servers: {}, transport: globalThis.open });`,
  },
  {
    name: 'tap',
    what: 'a transport that shows, holds and injects raw text',
    platform: 'neutral',
    code: `
      import { tap } from 'barewire/tap';
      globalThis.tap = tap;`,
  },
  {
    name: 'transcript',
    what: 'transcripts: record, replay, compare',
    platform: 'neutral',
    code: `
      import * as transcript from 'barewire/transcript';
      globalThis.transcript = transcript;`,
  },
  {
    name: 'explain',
    what: 'a message as a sentence with its section',
    platform: 'neutral',
    code: `
      import * as explaining from 'barewire/explain';
      globalThis.explaining = explaining;`,
  },
  {
    name: 'doctor',
    what: 'what is wrong with a server, without validator',
    platform: 'neutral',
    code: `
      import * as doctor from 'barewire/doctor';
      globalThis.doctor = doctor;`,
  },
  {
    name: 'judge',
    what: 'judgeServer, with a report as text',
    platform: 'neutral',
    code: `
      import { judgeServer, textReport } from 'barewire/judge';
      globalThis.judge = { judgeServer, textReport };`,
  },
  {
    name: 'everything',
    what: 'McpServer, McpClient, every transport',
    platform: 'node',
    // Every export of these entries. Separate entries (authorization, tasks) have their own rows.
    code: ['server', 'client', 'stdio', 'http', 'fetch', 'memory', 'message-port', 'schema', 'jsonrpc', 'protocol']
      .map((name) => `import * as ${name.replace('-', '')} from 'barewire/${name}'; globalThis['${name}'] = ${name.replace('-', '')};`)
      .join('\n'),
  },
];

/** The program with a name. Throws an error with the valid names. */
export function programNamed(name) {
  const found = programs.find((program) => program.name === name || program.also === name);
  if (found === undefined) throw new Error(`no program ${JSON.stringify(name)}: there are ${programs.map((program) => program.name).join(', ')}`);
  return found;
}
