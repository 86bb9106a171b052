import { McpServer } from '../../../src/server/index.ts';
import { createEndpoint } from '../../../src/transport/http/server/endpoint.ts';
import { ScriptedRequest } from '../../transport/http/scripted-request.ts';
import { calm, worldClock } from '../../explore/explorer.ts';
import type { Kind, Step, World } from '../../explore/explorer.ts';
import { Gate } from '../../explore/gate.ts';
import { nothingHeld } from '../../explore/invariants.ts';

const sessionIdleMs = 10_000;
const protocolVersion = '2025-11-25';

interface Client {
  readonly name: string;
  /** Undefined: no session. */
  headers: Readonly<Record<string, string>> | undefined;
  listening: ScriptedRequest | undefined;
  call: ScriptedRequest | undefined;
  /** When it was last used, or its stream last ended. */
  usedAt: number;
}

/** True if the client reads a stream, or waits for a response. */
const isOpen = (request: ScriptedRequest | undefined): boolean => request !== undefined && !request.left && (request.stream === 'open' || request.answers === 0);

/**
 * Sessions of an endpoint with room for two: three clients open sessions, listen, leave, ask, call and delete; time passes, and
 * the endpoint closes. 2025-11-25 basic/transports#session-management.
 */
async function make(): Promise<World> {
  const clock = worldClock();
  const settle = (): Promise<void> => calm(clock);
  const errors: string[] = [];
  const server = new McpServer({ name: 's', version: '1.0.0' }, { clock, onError: (error) => errors.push((error as Error).message) });
  const work = new Gate();
  server.tool('work', {}, () => work.wait().then(() => 'worked'));
  const endpoint = createEndpoint(server, { limits: { keepAliveMs: 0, maxSessions: 2, sessionIdleMs }, onError: (error) => errors.push(error.message) });
  const ask = (sent: { method?: string; headers?: Readonly<Record<string, string>>; body?: object }): ScriptedRequest => {
    const request = new ScriptedRequest(sent);
    endpoint.handle(request);
    return request;
  };
  const clients: Client[] = ['one', 'two', 'three'].map((name) => ({ name, headers: undefined, listening: undefined, call: undefined, usedAt: 0 }));
  const counts = { opened: 0, asked: 0, called: 0, ticks: 0, left: 0, deleted: 0 };
  let closed = false;
  let fault: string | undefined;
  const ids = new Set<string>();

  const open = async (client: Client): Promise<void> => {
    counts.opened++;
    const connected = clients.filter(({ headers, listening, call }) => headers !== undefined && (isOpen(listening) || isOpen(call))).length;
    const { status, fields } = ask({ body: { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion, capabilities: {}, clientInfo: { name: client.name, version: '1' } } } });
    await settle();
    const id = fields?.['mcp-session-id'];
    if (status !== 200 && connected < 2) fault ??= `${client.name} gets ${status}, and ${connected} clients are connected`;
    if (typeof id !== 'string') return;
    if (connected >= 2) fault ??= `${client.name} has a session, and the clients of both others are connected`;
    if (ids.has(id)) fault ??= `the session id ${id} was given twice`;
    ids.add(id);
    client.headers = { 'mcp-session-id': id, 'mcp-protocol-version': protocolVersion };
    client.usedAt = clock.monotonic();
    ask({ headers: client.headers, body: { jsonrpc: '2.0', method: 'notifications/initialized' } });
    await settle();
  };
  const tools = async (client: Client): Promise<void> => {
    counts.asked++;
    const idle = !isOpen(client.listening) && !isOpen(client.call) && clock.monotonic() - client.usedAt >= sessionIdleMs;
    const { status } = ask({ headers: client.headers ?? {}, body: { jsonrpc: '2.0', id: 7, method: 'tools/list' } });
    await settle();
    if (status === 200 && idle) fault ??= `the session of ${client.name} was idle for too long, and is served`;
    // A session that has ended gets 404: the client opens another.
    if (status === 404) client.headers = undefined;
    else if (status !== 200) fault ??= `${client.name} gets ${status}`;
    client.usedAt = clock.monotonic();
  };

  return {
    steps() {
      const steps: Step[] = [];
      if (closed) return steps;
      for (const client of clients) {
        const { name, headers, listening } = client;
        if (headers === undefined && counts.opened < 4) steps.push({ name: `${name} opens a session`, touches: ['*'], run: () => open(client) });
        if (headers === undefined) continue;
        if (counts.asked < 2) steps.push({ name: `${name} asks`, touches: ['*'], run: () => tools(client) });
        if (listening === undefined) steps.push({ name: `${name} listens`, touches: ['*'], run: () => (client.listening = ask({ method: 'GET', headers }), settle()) });
        if (counts.called < 1) {
          const body = { jsonrpc: '2.0', id: 8, method: 'tools/call', params: { name: 'work' } };
          steps.push({ name: `${name} calls`, touches: ['*'], run: () => (counts.called++, client.call = ask({ headers, body }), settle()) });
        }
        if (listening && isOpen(listening) && counts.left < 1) steps.push({ name: `${name} leaves`, touches: ['*'], run: () => (counts.left++, listening.leave(), client.usedAt = clock.monotonic(), settle()) });
        if (counts.deleted < 1) steps.push({ name: `${name} ends its session`, touches: ['*'], run: () => (counts.deleted++, ask({ method: 'DELETE', headers }), client.headers = undefined, settle()) });
      }
      if (work.waits > 0) steps.push({ name: 'the work is done', touches: ['*'], run: () => (work.open(), clients.forEach((client) => (client.usedAt = clock.monotonic())), settle()) });
      if (counts.ticks < 2) {
        steps.push({ name: `time passes ${counts.ticks + 1}`, touches: ['*'], run: () => (counts.ticks++, clock.tick(clock.now() + sessionIdleMs), settle()) });
      }
      steps.push({ name: 'the endpoint closes', touches: ['*'], run: () => (closed = true, void endpoint.close({ drainMs: 0 }), settle()) });
      return steps;
    },
    check() {
      if (fault !== undefined) throw new Error(fault);
    },
    async finish() {
      void endpoint.close({ drainMs: 0 });
      await settle();
      for (const { name, headers, listening } of clients) {
        if (isOpen(listening)) throw new Error(`the stream of ${name} is open after the end`);
        if (headers && ask({ method: 'GET', headers }).status === 200) throw new Error(`the session of ${name} is served after the end`);
      }
      // One more sweep of the sessions runs, and then no other.
      clock.tick(clock.now() + 3_600_000);
      await settle();
      nothingHeld({ clocks: [clock] });
      return JSON.stringify([counts, clients.map(({ headers, listening }) => [headers !== undefined, listening?.stream]), errors]);
    },
  };
}

export const idle: Kind = { name: 'idle', what: 'sessions of three clients where there is room for two: they listen, leave, ask, call, delete, and are idle for too long', make };
