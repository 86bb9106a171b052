import { McpServer } from '../../../src/server/index.ts';
import { createEndpoint } from '../../../src/transport/http/server/endpoint.ts';
import { ScriptedRequest } from '../../transport/http/scripted-request.ts';
import { calm, worldClock } from '../explorer.ts';
import type { Kind, Step, World } from '../explorer.ts';
import { checkEvents, checkOrder, eventsOf, EventStream } from '../event-stream.ts';
import { Gate } from '../gate.ts';
import { nothingHeld } from '../invariants.ts';

/**
 * An HTTP session with the stream of a call and the client's GET stream. Both are cut, also before the client has read their last events,
 * and resumed. A list changes. A second client with the same session id may open a GET stream, and one of the two may end the session.
 */
async function make(): Promise<World> {
  const clock = worldClock();
  const settle = (): Promise<void> => calm(clock);
  const errors: string[] = [];
  const work = new Gate();
  const server = new McpServer({ name: 's', version: '1.0.0' }, { clock, onError: (error) => errors.push((error as Error).message) });
  server.tool('work', {}, async (_args, ctx) => {
    ctx.progress(1, 3);
    await work.wait();
    ctx.progress(2, 3);
    return 'worked';
  });
  const endpoint = createEndpoint(server, { limits: { keepAliveMs: 0 }, onError: (error) => errors.push(error.message) });
  const ask = (sent: { method?: string; headers?: Record<string, string>; body?: object }): ScriptedRequest => {
    const request = new ScriptedRequest(sent);
    endpoint.handle(request);
    return request;
  };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const opened = ask({ body: { jsonrpc: '2.0', id: 0, method: 'initialize', params } });
  await settle();
  const session = { 'mcp-session-id': String(opened.fields?.['mcp-session-id']), 'mcp-protocol-version': '2025-11-25' };
  ask({ headers: session, body: { jsonrpc: '2.0', method: 'notifications/initialized' } });
  await settle();
  const call = new EventStream('the call', ask({ headers: session, body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'work', _meta: { progressToken: 't' } } } }));
  await settle();
  const listening: EventStream[] = [];
  const counts = { cuts: 0, changes: 0, resumed: 0, ended: 0 };
  /** Messages received on GET streams before the last change. */
  let heardBefore = 0;
  const heard = (): number => listening.reduce((sum, { messages }) => sum + messages.length, 0);
  const streams = (): EventStream[] => [call, ...listening];
  const resume = (one: EventStream): Promise<void> => {
    counts.resumed++;
    one.goOn(ask({ method: 'GET', headers: { ...session, 'last-event-id': one.lastId ?? '' } }));
    return settle();
  };

  return {
    steps() {
      const steps: Step[] = [];
      if (work.waits > 0) steps.push({ name: 'the work is done', touches: ['call'], run: () => (work.open(), settle()) });
      for (const one of streams()) {
        const touches = one === call ? ['call'] : ['listening'];
        if (one.isOpen && counts.cuts < 3) {
          for (const lost of [0, 1]) {
            if (lost > eventsOf(one.request.text).length) continue;
            steps.push({ name: `${one.name} is cut, ${lost} events lost`, touches: [...touches, 'cuts'], run: () => (counts.cuts++, one.cut(lost), settle()) });
          }
        }
        if (!one.connected && one.lastId !== undefined && counts.resumed < 3) steps.push({ name: `${one.name} is resumed`, touches: [...touches, 'resumed'], run: () => resume(one) });
      }
      if (listening.length < 2) {
        const name = `GET ${listening.length + 1}`;
        steps.push({ name, touches: ['listening'], run: () => (listening.push(new EventStream(name, ask({ method: 'GET', headers: session }))), settle()) });
      }
      if (counts.changes < 2) {
        steps.push({
          name: `the list changes (${counts.changes + 1})`, touches: ['listening'],
          run: () => {
            heardBefore = heard();
            server.tool(`new-${++counts.changes}`, {}, () => '');
            return settle();
          },
        });
      }
      // Optional: if the session stays open, no message may be missing at the end.
      if (counts.ended < 1) {
        steps.push({ name: 'the session is ended', touches: ['*'], optional: true, run: () => (counts.ended++, ask({ method: 'DELETE', headers: session }), settle()) });
      }
      return steps;
    },
    check() {
      checkEvents(streams());
      checkOrder(call, ['1,2,answer'], ({ id, method, params }) => id === 1 ? 'answer' : method === 'notifications/progress' ? `${params?.progress}` : `${method}`);
      for (const one of listening) {
        for (const text of one.messages) if (!text.includes('list_changed')) throw new Error(`${one.name} carries ${text}`);
      }
      if (listening.filter(({ isOpen }) => isOpen).length > 1) throw new Error('two GET streams of one session are open');
    },
    async finish() {
      const got = call.messages.filter((text) => text.includes('"result"')).length;
      if (counts.ended === 0) {
        if (call.connected && got !== 1) throw new Error(`the client of the call is there and has its answer ${got} times`);
        if (listening.some(({ isOpen }) => isOpen) && heard() === heardBefore) throw new Error('a client that listens has not heard of the last change');
      }
      const ended = counts.ended > 0;
      if (ended && ask({ method: 'GET', headers: session }).status !== 404) throw new Error('a session that was ended is served');
      void endpoint.close({ drainMs: 0 });
      await settle();
      for (const one of streams()) if (one.isOpen) throw new Error(`${one.name} is open after the end`);
      // The session sweep runs one last time.
      clock.tick(clock.now() + 3_600_000);
      await settle();
      nothingHeld({ clocks: [clock] });
      return JSON.stringify([got, call.connected, listening.map(({ connected, messages }) => [connected, messages.length]), ended, errors]);
    },
  };
}

export const session: Kind = { name: 'session', what: 'an HTTP session: a POST stream and GET streams that are cut, resumed, cut before their first id; two clients of one id', make };
