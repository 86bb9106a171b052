import type { HiddenRequest, HiddenStream } from '../../../src/judge/client/port.ts';
import { McpServer } from '../../../src/server/index.ts';
import { serveHttp } from '../../../src/transport/http/node/index.ts';
import { check } from '../chapter.ts';
import type { Chapter } from '../chapter.ts';
import type { Arrived, Desk } from '../desk.ts';
import { absent, demand, Fault, rule } from '../fault.ts';
import type { Bag } from '../fault.ts';
import type { Program } from '../program.ts';
import { addTool, prints, server } from './07-the-other-side.ts';
import { filled, form } from './08-asked-in-turn.ts';

const sending = '2025-11-25 basic/transports#sending-messages-to-the-server';

export function json(request: HiddenRequest, status: number, message: Bag, headers: Readonly<Record<string, string>> = {}): void {
  request.respond(status, { 'content-type': 'application/json', ...headers }, JSON.stringify({ jsonrpc: '2.0', ...message }));
}

interface Script {
  readonly headers?: Readonly<Record<string, string>>;
  /** Answers the call. Default: the sum as JSON. */
  readonly call?: (arrived: Arrived, request: HiddenRequest) => void;
  /** Called with each request before it is answered. */
  readonly see?: (arrived: Arrived) => void;
}

/** A small server of 2025-11-25 with the behaviour that a check needs. */
function legacy({ headers = {}, call, see }: Script) {
  return (arrived: Arrived, request: HiddenRequest): void => {
    see?.(arrived);
    const { method, message } = arrived;
    if (method !== 'POST' || message === undefined) {
      request.respond(method === 'DELETE' ? 200 : 405, {});
    } else if (message['method'] === 'server/discover') {
      json(request, 400, { id: message['id'], error: { code: -32600, message: 'Bad request: no session' } });
    } else if (message['method'] === 'initialize') {
      json(request, 200, { id: message['id'], result: { protocolVersion: '2025-11-25', ...server } }, headers);
    } else if (message['id'] === undefined || message['method'] === undefined) {
      request.respond(202, {});
    } else if (message['method'] === 'tools/list') {
      json(request, 200, { id: message['id'], result: { tools: [addTool] } });
    } else if (call) {
      call(arrived, request);
    } else {
      json(request, 200, { id: message['id'], result: { content: [{ type: 'text', text: 'five, by HTTP' }] } });
    }
  };
}

/** Demands that the program prints a text, or throws its earlier fault. */
export async function printsHttp(desk: Desk, { program, failed }: { program: Program; failed: Promise<never> }, words: string): Promise<void> {
  await Promise.race([prints(desk, program, words), failed]);
}

const stream = { 'content-type': 'text/event-stream' };

export const aClientOverHttp: Chapter = {
  number: 10,
  title: 'A client over HTTP',
  checks: [
    check('each message is a POST that takes JSON and streams', '2025-11-25 streamable-http-41', async (desk) => {
      const client = await desk.httpClient(legacy({ see: ({ method, headers, message }) => {
        if (method !== 'POST') return;
        const both = rule('to name application/json and text/event-stream', (value) => /application\/json/.test(String(value)) && /text\/event-stream/.test(String(value)));
        demand(both, headers.accept, 'the header Accept');
        demand(rule('application/json', (value) => /^application\/json/.test(String(value))), headers['content-type'], 'the header Content-Type');
        demand({ jsonrpc: '2.0' }, message, 'the body');
      } }));
      await printsHttp(desk, client, 'five, by HTTP');
    }),
    check('the session that the server names, and the revision, are in every request after the handshake', '2025-11-25 transports-32', async (desk) => {
      const client = await desk.httpClient(legacy({ headers: { 'mcp-session-id': 'session-7f3a' }, see: ({ headers, message }) => {
        if (message?.['method'] === 'initialize') demand(absent, headers['mcp-session-id'], 'the header Mcp-Session-Id of initialize');
        if (message?.['method'] === 'initialize' || message?.['method'] === 'server/discover') return;
        demand('session-7f3a', headers['mcp-session-id'], 'the header Mcp-Session-Id');
        demand('2025-11-25', headers['mcp-protocol-version'], 'the header MCP-Protocol-Version');
      } }));
      await printsHttp(desk, client, 'five, by HTTP');
      const methods = client.arrived.map(({ message }) => message?.['method']);
      demand(rule('notifications/initialized between initialize and tools/list', () =>
        methods.indexOf('notifications/initialized') === methods.indexOf('initialize') + 1), methods.join(', '), 'the order');
    }),
    check('a client that needs the session no more ends it with DELETE', '2025-11-25 transports-31', async (desk) => {
      const client = await desk.httpClient(legacy({ headers: { 'mcp-session-id': 'session-7f3a' } }));
      await printsHttp(desk, client, 'five, by HTTP');
      demand({ method: 'DELETE', headers: { 'mcp-session-id': 'session-7f3a' } }, client.arrived.at(-1), 'the last request');
    }),
    check('where the server names no session, the client sends none', '2025-11-25 basic/transports#session-management', async (desk) => {
      const client = await desk.httpClient(legacy({ see: ({ method, headers }) => {
        demand(absent, headers['mcp-session-id'], 'the header Mcp-Session-Id');
        demand(rule('no DELETE', (value) => value !== 'DELETE'), method, 'the method');
      } }));
      await printsHttp(desk, client, 'five, by HTTP');
    }),
    check('an answer that comes as a stream of events is read, however it is cut', '2025-11-25 streamable-http-42', async (desk) => {
      const client = await desk.httpClient(legacy({ call: ({ message }, request) => {
        const open = request.stream(stream);
        const pieces = [
          ': a comment\r\n\r\n', 'id: 1\r\nretry: 10\r\ndata:\r\n\r\n', 'event: message\r\ndata: {"jsonrpc":"2.0","method":"notifi',
          'cations/message","params":{"level":"info","data":"wörking"}}\r\n\r\ndata: {"jsonrpc":"2.0",\r\n', `data:"id":${JSON.stringify(message?.['id'])},\r\ndata: "result"`,
          ':{"content":[{"type":"text","text":"five, in a stream"}]}}\r\n', '\r\n',
        ];
        const write = (): void => {
          const piece = pieces.shift();
          if (piece === undefined) return open.end();
          open.write(piece);
          setTimeout(write, 5);
        };
        write();
      } }));
      await printsHttp(desk, client, 'five, in a stream');
    }),
    check('the answer is taken as soon as it comes, also where the stream stays open', sending, async (desk) => {
      const client = await desk.httpClient(legacy({ call: ({ message }, request) => {
        request.stream(stream).write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: message?.['id'], result: { content: [{ type: 'text', text: 'five at once' }] } })}\n\n`);
      } }));
      await printsHttp(desk, client, 'five at once');
    }),
    check('a question in the stream is answered with a POST', sending, async (desk) => {
      let open: HiddenStream | undefined;
      let callId: unknown;
      const client = await desk.httpClient(legacy({
        headers: { 'mcp-session-id': 'session-7f3a' },
        call: ({ message }, request) => {
          callId = message?.['id'];
          open = request.stream(stream);
          const question = { jsonrpc: '2.0', id: 'seat', method: 'elicitation/create', params: { message: 'Which seat?', requestedSchema: form } };
          open.write(`data: ${JSON.stringify(question)}\n\n`);
        },
        see: ({ message, headers }) => {
          if (message?.['id'] !== 'seat') return;
          demand({ jsonrpc: '2.0', id: 'seat', result: filled }, message);
          demand('session-7f3a', headers['mcp-session-id'], 'the header Mcp-Session-Id');
          open?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: callId, result: { content: [{ type: 'text', text: 'a seat by HTTP' }] } })}\n\n`);
          open?.end();
        },
      }));
      await printsHttp(desk, client, 'a seat by HTTP');
    }),
    check('a status that says no ends it with code 1', sending, async (desk) => {
      const client = await desk.httpClient((_arrived, request) => request.respond(500, { 'content-type': 'text/plain' }, 'no'));
      demand(1, await client.program.ended('the program to end', desk.options.startMs), 'the exit code');
    }),
    check('a real server serves it', sending, async (desk) => {
      const real = new McpServer({ name: 'hidden', version: '1.0.0' }, { revisions: ['2025-11-25'] });
      real.tool('add', { input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] } },
        async ({ a, b }, ctx) => {
          ctx.log('info', 'adding');
          const answer = await ctx.elicit('How often?', { times: { type: 'integer', default: 3 } });
          return answer.action === 'accept' ? `${(a + b) * answer.content.times}, says barewire` : answer.action;
        });
      const served = await serveHttp(real);
      try {
        await prints(desk, desk.program('client', served.url), '15, says barewire').catch((error: unknown) => {
          throw error instanceof Fault ? error : new Fault('the server of barewire to serve it', String(error));
        });
      } finally {
        await served.close({ drainMs: 0 });
      }
    }),
  ],
};
