import type { HiddenRequest } from '../../../src/judge/client/port.ts';
import { McpServer } from '../../../src/server/index.ts';
import { serveHttp } from '../../../src/transport/http/node/index.ts';
import { check } from '../chapter.ts';
import type { Chapter } from '../chapter.ts';
import type { Arrived, Desk } from '../desk.ts';
import { absent, demand, rule } from '../fault.ts';
import type { Bag } from '../fault.ts';
import type { Talk } from '../talk.ts';
import { addTool, called, oneOfIds, prints, server, welcome } from './07-the-other-side.ts';
import { filled, form, modernMeta } from './08-asked-in-turn.ts';
import { json, printsHttp } from './10-a-client-over-http.ts';

const stdio = '2026-07-28 basic/transports/stdio#backward-compatibility';
const rounds = '2026-07-28 basic/patterns/mrtr#client-requirements-basic-workflow';
const complete: Bag = { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'hidden', version: '1.0.0' } } };
const discovered: Bag = { ...complete, supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' };
const listed: Bag = { ...complete, tools: [addTool], ttlMs: 0, cacheScope: 'private' };
const done = (words: string): Bag => ({ ...complete, content: [{ type: 'text', text: words }] });
const asking: Bag = {
  ...complete, resultType: 'input_required', requestState: 'sealed → 7f3a',
  inputRequests: { seat: { method: 'elicitation/create', params: { mode: 'form', message: 'Which seat?', requestedSchema: form } } },
};
const answered: Bag = { name: 'add_numbers', arguments: { a: 2, b: 3 }, requestState: 'sealed → 7f3a', inputResponses: { seat: filled } };

async function probe(talk: Talk): Promise<Bag> {
  return talk.expect({ id: oneOfIds, method: 'server/discover', params: { _meta: modernMeta } }, 'the request server/discover');
}

/** Answers discover and list, and returns the call. */
async function modern(talk: Talk): Promise<Bag> {
  talk.say({ id: (await probe(talk))['id'], result: discovered });
  const list = await talk.expect({ method: 'tools/list', params: { _meta: modernMeta } }, 'the request tools/list');
  talk.say({ id: list['id'], result: listed });
  return talk.expect({ method: 'tools/call', params: { name: 'add_numbers', arguments: { a: 2, b: 3 }, _meta: modernMeta } }, 'the call of add_numbers');
}

async function fallsBack(desk: Desk, answer: Bag): Promise<void> {
  const { talk, program } = await desk.client();
  talk.say({ id: (await probe(talk))['id'], ...answer });
  await welcome(talk);
  const call = await called(talk);
  demand(absent, (call['params'] as Bag)['inputResponses'], 'params.inputResponses');
  talk.say({ id: call['id'], result: { content: [{ type: 'text', text: 'as in the old days' }] } });
  await prints(desk, program, 'as in the old days');
}

/** The value of a header that may be encoded. 2026-07-28 basic/transports/streamable-http#value-encoding. */
const plain = (value: unknown): string =>
  String(value).replace(/^=\?base64\?(.*)\?=$/, (_whole, base64: string) => Buffer.from(base64, 'base64').toString());

/** Demands that the headers of a POST match its body. */
function mirrored({ headers, message }: Arrived): void {
  const params = (message?.['params'] ?? {}) as Bag;
  demand('2026-07-28', headers['mcp-protocol-version'], 'the header MCP-Protocol-Version');
  demand(message?.['method'], headers['mcp-method'], 'the header Mcp-Method');
  if (message?.['method'] === 'tools/call') demand(params['name'], plain(headers['mcp-name']), 'the header Mcp-Name');
  demand(absent, headers['mcp-session-id'], 'the header Mcp-Session-Id');
  demand(modernMeta, params['_meta'], 'params._meta');
}

function modernHttp(call: (arrived: Arrived, request: HiddenRequest) => void) {
  return (arrived: Arrived, request: HiddenRequest): void => {
    demand('POST', arrived.method, 'the method');
    mirrored(arrived);
    const { id, method } = arrived.message ?? {};
    if (method === 'server/discover') json(request, 200, { id, result: discovered });
    else if (method === 'tools/list') json(request, 200, { id, result: listed });
    else if (method === 'tools/call') call(arrived, request);
    else json(request, 404, { id, error: { code: -32601, message: `Method not found: ${String(method)}` } });
  };
}

export const bothEras: Chapter = {
  number: 12,
  title: 'Both eras',
  checks: [
    check('the client asks for server/discover, and with a modern server there is no handshake', stdio, async (desk) => {
      const { talk, program } = await desk.client();
      const call = await modern(talk);
      talk.say({ id: call['id'], result: done('five, without a handshake') });
      await prints(desk, program, 'five, without a handshake');
    }),
    check('whatever an old server answers, the client falls back to initialize', '2026-07-28 stdio-7', async (desk) => {
      await fallsBack(desk, { error: { code: -32601, message: 'Method not found' } });
      await fallsBack(desk, { error: { code: -32000, message: 'Server not initialized' } });
      await fallsBack(desk, { result: {} });
      await fallsBack(desk, { error: { code: -32022, message: 'Unsupported protocol version', data: { supported: ['2025-11-25'], requested: '2026-07-28' } } });
    }),
    check('a server that speaks no revision of the client\'s is modern, and is left', '2026-07-28 basic/versioning#protocol-version-negotiation', async (desk) => {
      const errors: readonly Bag[] = [
        { code: -32022, message: 'Unsupported protocol version', data: { supported: ['2999-01-01'], requested: '2026-07-28' } },
        { code: -32021, message: 'Missing capability', data: { requiredCapabilities: { sampling: {} } } },
        { code: -32020, message: 'Header mismatch' },
      ];
      for (const error of errors) {
        const { talk, program } = await desk.client();
        talk.say({ id: (await probe(talk))['id'], error });
        await talk.closed('the client to close the pipe and to say nothing more');
        demand(1, await program.ended('the program to end', desk.options.patienceMs), 'the exit code');
      }
    }),
    check('a result that asks is answered in a second call, with the state as it came', '2026-07-28 mrtr-4', async (desk) => {
      const { talk, program } = await desk.client();
      const first = await modern(talk);
      talk.say({ id: first['id'], result: asking });
      const second = await talk.expect({ id: oneOfIds, method: 'tools/call', params: { ...answered, _meta: modernMeta } }, 'the second call');
      talk.say({ id: second['id'], result: { ...asking, requestState: undefined, inputRequests: {
        more: { method: 'elicitation/create', params: { message: 'And now?', requestedSchema: form } },
      } } });
      const third = await talk.expect({ method: 'tools/call', params: {
        name: 'add_numbers', requestState: absent, inputResponses: { more: filled, seat: absent }, _meta: modernMeta,
      } }, 'the third call');
      talk.say({ id: third['id'], result: done('three rounds') });
      await prints(desk, program, 'three rounds');
    }),
    check('a result of a type that the client does not know is no result', '2026-07-28 base-73', async (desk) => {
      const { talk, program } = await desk.client();
      const call = await modern(talk);
      talk.say({ id: call['id'], result: { ...done('half a result'), resultType: 'example.com/half' } });
      demand(1, await program.ended('the program to end', desk.options.patienceMs), 'the exit code');
    }),
    check('over HTTP the headers mirror the body', '2026-07-28 streamable-http-8', async (desk) => {
      const client = await desk.httpClient(modernHttp(({ message }, request) => {
        const { id, params } = message ?? {};
        if ((params as Bag)['inputResponses'] === undefined) return json(request, 200, { id, result: asking });
        demand(answered, params, 'params');
        return json(request, 200, { id, result: done('seated, by HTTP') });
      }));
      await printsHttp(desk, client, 'seated, by HTTP');
      const ids = client.arrived.map(({ message }) => message?.['id']);
      demand(rule('ids that differ', () => new Set(ids).size === ids.length), ids.join(', '), 'the ids');
    }),
    check('over HTTP it falls back where a status of 400, 404 or 405 holds no error of 2026-07-28', '2026-07-28 basic/transports/streamable-http#backward-compatibility', async (desk) => {
      const refusals: readonly (readonly [status: number, body: string])[] = [
        [400, ''], [400, 'Bad Request'], [400, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: no session"}}'],
        [404, ''], [405, 'Method Not Allowed'],
      ];
      for (const [status, body] of refusals) {
        const client = await desk.httpClient(({ message, method }, request) => {
          const id = message?.['id'];
          if (method !== 'POST') request.respond(405, {});
          else if (message?.['method'] === 'initialize') json(request, 200, { id, result: { protocolVersion: '2025-11-25', ...server } });
          else if (message?.['method'] === 'notifications/initialized') request.respond(202, {});
          else if (message?.['method'] === 'tools/list') json(request, 200, { id, result: { tools: [addTool] } });
          else if (message?.['method'] === 'tools/call') json(request, 200, { id, result: { content: [{ type: 'text', text: 'old, by HTTP' }] } });
          else request.respond(status, { 'content-type': 'application/json' }, body);
        });
        await printsHttp(desk, client, 'old, by HTTP');
      }
    }),
    check('real servers of both eras serve it, over both transports', '2026-07-28 basic/versioning#compatibility-matrix', async (desk) => {
      for (const revision of ['2026-07-28', '2025-11-25']) {
        const real = (): McpServer => {
          const made = new McpServer({ name: 'hidden', version: '1.0.0' }, { revisions: [revision] });
          made.tool('add', {
            input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
          }, async ({ a, b }, ctx) => {
            const answer = await ctx.elicit('How often?', { times: { type: 'integer', default: 2 } });
            return `${revision}: ${(a + b) * (answer.action === 'accept' ? answer.content.times : 0)}`;
          });
          return made;
        };
        await prints(desk, await desk.clientOf(real()), `${revision}: 10`);
        const served = await serveHttp(real());
        try {
          await prints(desk, desk.program('client', served.url), `${revision}: 10`);
        } finally {
          await served.close({ drainMs: 0 });
        }
      }
    }),
    check('an old server that is silent until initialize is served', stdio, async (desk) => {
      const { talk, program } = await desk.client();
      await probe(talk);
      await welcome(talk);
      const call = await called(talk);
      talk.say({ id: call['id'], result: { content: [{ type: 'text', text: 'awake at last' }] } });
      await prints(desk, program, 'awake at last');
    }),
    check('a name that is not ASCII goes into Mcp-Name in Base64', '2026-07-28 streamable-http-57', async (desk) => {
      const client = await desk.httpClient((arrived, request) => {
        const { message } = arrived;
        if (message?.['method'] !== 'tools/list') {
          modernHttp((_arrived, answer) => json(answer, 200, { id: message?.['id'], result: done('named in Base64') }))(arrived, request);
        } else {
          json(request, 200, { id: message['id'], result: { ...listed, tools: [{ ...addTool, name: 'add-足す' }] } });
        }
      });
      await printsHttp(desk, client, 'named in Base64');
    }),
  ],
};

