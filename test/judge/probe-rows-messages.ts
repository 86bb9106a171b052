import type { ProbeRow } from './probing.ts';
import { about, also, changed, fails, from, gives, instead, where } from './probing.ts';
import type { Call, Said } from './peer.ts';

// The probes of the handshake, of discovery, of JSON-RPC, and of cancellation.

const [v24, batches, v25, modern] = ['2024-11-05', '2025-03-26', '2025-11-25', '2026-07-28'] as const;
const silent = instead({ silent: true });
const more = (message: object) => also({ after: [{ jsonrpc: '2.0', ...message }] });
const first = (message: object) => also({ before: [{ jsonrpc: '2.0', ...message }] });
const acknowledged = (id: unknown, method = 'notifications/subscriptions/acknowledged'): Said =>
  ({ before: [{ jsonrpc: '2.0', method, params: { notifications: {}, _meta: { 'io.modelcontextprotocol/subscriptionId': id } } }], silent: true });
const strange = ({ id }: Call): boolean => typeof id === 'string' || id === 0 || id === -1;

export const messageRows: readonly ProbeRow[] = [
  {
    probe: 'a request without a required field', version: modern, asks: ['server/discover {"lacks":"io.modelcontextprotocol/clientCapabilities"}'], says: ['base-4'], faults: [
      ['a result', { 'server/discover': from(2, gives({ supportedVersions: [] })) }, ['-base-4: error -32602: io.modelcontextprotocol/clientCapabilities is missing <- {"result":{"supportedVersions":[]}} (server/discover)']], ['another error', { 'server/discover': from(2, fails(-32600)) }, ['-base-4: error -32602: io.modelcontextprotocol/clientCapabilities is missing <- {"error":{"code":-32600,"message":"no"}} (server/discover)']], ['no answer', { 'server/discover': from(2, silent) }, []],
    ],
  },
  {
    probe: 'a request without a required field', version: modern, http: true, asks: ['server/discover {"lacks":"io.modelcontextprotocol/clientCapabilities"}'], says: ['base-4 base-14'], faults: [
      ['another status', { 'server/discover': from(2, also({ status: 200 })) }, ['base-4', '-base-14: HTTP 400 <- HTTP 200 {"error":{"code":-32602,"message":"no capabilities"}} (server/discover)']], ['a result', { 'server/discover': from(2, gives({})) }, ['-base-4: error -32602: io.modelcontextprotocol/clientCapabilities is missing <- {"result":{}} (server/discover)', '-base-14: HTTP 400 <- HTTP 200 {"result":{}} (server/discover)']],
    ],
  },
  {
    probe: 'a version that does not exist', version: modern, asks: ['server/discover'], says: ['versioning-7'], faults: [
      ['a result', { 'server/discover': from(2, gives({})) }, ['-versioning-7: error -32022 with data.supported, which has 2026-07-28 <- {"result":{}} (server/discover)']], ['another error', { 'server/discover': from(2, fails(-32602)) }, ['-versioning-7: error -32022 with data.supported, which has 2026-07-28 <- {"error":{"code":-32602,"message":"no"}} (server/discover)']],
      ['without the versions', { 'server/discover': from(2, fails(-32022)) }, ['-versioning-7: error -32022 with data.supported, which has 2026-07-28 <- {"error":{"code":-32022,"message":"no"}} (server/discover)']], ['with another version', { 'server/discover': from(2, instead({ error: { code: -32022, message: 'no', data: { supported: [v25] } } })) }, ['-versioning-7: error -32022 with data.supported, which has 2026-07-28 <- {"error":{"code":-32022,"message":"no","data":{"supported":["2025-11-25"]}}} (server/discover)']],
      ['with a text', { 'server/discover': from(2, instead({ error: { code: -32022, message: 'no', data: { supported: modern } } })) }, ['-versioning-7: error -32022 with data.supported, which has 2026-07-28 <- {"error":{"code":-32022,"message":"no","data":{"supported":"2026-07-28"}}} (server/discover)']], ['no answer', { 'server/discover': from(2, silent) }, []],
    ],
  },
  {
    probe: 'a version that does not exist', version: modern, http: true, asks: ['server/discover'], says: ['versioning-7 streamable-http-17 base-14'], faults: [
      ['another status', { 'server/discover': from(2, also({ status: 200 })) }, ['versioning-7', '-streamable-http-17 -base-14: HTTP 400 with error -32022 <- HTTP 200 {"error":{"code":-32022,"message":"no such version","data":{"supported":["2026-07… (server/discover)']], ['another error', { 'server/discover': from(2, fails(-32602, { status: 400 })) }, ['-versioning-7: error -32022 with data.supported, which has 2026-07-28 <- {"error":{"code":-32602,"message":"no"}} (server/discover)', '-streamable-http-17 -base-14: HTTP 400 with error -32022 <- HTTP 400 {"error":{"code":-32602,"message":"no"}} (server/discover)']],
    ],
  },
  {
    probe: 'an unknown method', version: modern, asks: ['judge/unknown'], says: ['base-2 form-unknown-method'], faults: [
      ['a result', { 'judge/unknown': gives({}) }, ['-base-2: an error for an unknown method <- {"result":{}} (judge/unknown)', '-form-unknown-method: error -32601 <- {"result":{}} (judge/unknown)']], ['another error', { 'judge/unknown': fails(-32600) }, ['base-2', '-form-unknown-method: error -32601 <- {"error":{"code":-32600,"message":"no"}} (judge/unknown)']], ['no answer', { 'judge/unknown': silent }, []],
    ],
  },
  {
    probe: 'an unknown method', version: modern, http: true, asks: ['judge/unknown'], says: ['base-2 form-unknown-method streamable-http-16'], faults: [
      ['another status', { 'judge/unknown': also({ status: 400 }) }, ['base-2 form-unknown-method', '-streamable-http-16: HTTP 404 with error -32601 <- HTTP 400 {"error":{"code":-32601,"message":"no such method"}} (judge/unknown)']], ['another error', { 'judge/unknown': fails(-32600, { status: 404 }) }, ['base-2', '-form-unknown-method: error -32601 <- {"error":{"code":-32600,"message":"no"}} (judge/unknown)', '-streamable-http-16: HTTP 404 with error -32601 <- HTTP 404 {"error":{"code":-32600,"message":"no"}} (judge/unknown)']], ['a result', { 'judge/unknown': gives({}, { status: 404 }) }, ['-base-2: an error for an unknown method <- {"result":{}} (judge/unknown)', '-form-unknown-method: error -32601 <- {"result":{}} (judge/unknown)', '-streamable-http-16: HTTP 404 with error -32601 <- HTTP 404 {"result":{}} (judge/unknown)']],
    ],
  },
  {
    probe: 'an unknown method', version: v25, asks: ['judge/unknown'], says: ['form-unknown-method'], faults: [
      ['a result', { 'judge/unknown': gives({}) }, ['-form-unknown-method: error -32601 <- {"result":{}} (judge/unknown)']], ['another error', { 'judge/unknown': fails(-32600) }, ['-form-unknown-method: error -32601 <- {"error":{"code":-32600,"message":"no"}} (judge/unknown)']], ['no answer', { 'judge/unknown': silent }, ['-form-unknown-method: error -32601 <- no answer in time (judge/unknown)']],
    ],
  },
  { probe: 'an unknown method', version: v25, http: true, edits: { 'judge/unknown': instead({ status: 500, body: '' }) }, asks: ['judge/unknown'], says: [], faults: [] },
  {
    probe: 'initialize of a modern server', version: modern, asks: ['initialize {"protocolVersion":"2025-11-25"} {"declares":{}}'], says: ['versioning-1'], faults: [
      ['an error without a version', { initialize: fails(-32601) }, ['-versioning-1: an error that names a version of the server: 2026-07-28 <- {"error":{"code":-32601,"message":"no"}} (initialize)']], ['an error with another version', { initialize: instead({ error: { code: -32601, message: '2025-11-25 only' } }) }, ['-versioning-1: an error that names a version of the server: 2026-07-28 <- {"error":{"code":-32601,"message":"2025-11-25 only"}} (initialize)']],
      ['a result', { initialize: gives({ protocolVersion: v25 }) }, []], ['no answer', { initialize: silent }, []],
    ],
  },
  { probe: 'initialize of a modern server', version: modern, http: true, asks: ['initialize {"protocolVersion":"2025-11-25"} {"declares":{}}'], says: ['versioning-1'], faults: [] },
  { probe: 'initialize of a modern server', version: modern, versions: [modern, v25], asks: [], says: ['~versioning-1: the server speaks earlier revisions, too'], faults: [] },
  {
    probe: 'a subscription', version: modern, asks: ['subscriptions/listen {"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged"…', 'notifications/cancelled {"requestId":10}'], says: ['subscriptions-2 base-15'], faults: [
      ['another method first', { 'subscriptions/listen': from(2, (_said, { id }) => acknowledged(id, 'notifications/tools/list_changed')) }, ['base-15', '-subscriptions-2: notifications/subscriptions/acknowledged first, with io.modelcontextprotocol/subscriptionI… <- {"method":"notifications/tools/list_changed","params":{"notifications":{},"_meta":{"io.mod… (subscriptions/listen)']],
      ['another id', { 'subscriptions/listen': from(2, (_said, { id }) => acknowledged(`${String(id)}0`)) }, ['-subscriptions-2: notifications/subscriptions/acknowledged first, with io.modelcontextprotocol/subscriptionI… <- {"method":"notifications/subscriptions/acknowledged","params":{"notifications":{},"_meta":… (subscriptions/listen)', '-base-15: io.modelcontextprotocol/subscriptionId in the _meta of each message of a subscription <- {"method":"notifications/subscriptions/acknowledged","params":{"notifications":{},"_meta":… (subscriptions/listen)']],
      ['an id as a text', { 'subscriptions/listen': from(2, (_said, { id }) => acknowledged(String(id))) }, ['subscriptions-2 base-15']],
      ['no _meta', { 'subscriptions/listen': from(2, instead({ before: [{ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged' }], silent: true })) }, ['-subscriptions-2: notifications/subscriptions/acknowledged first, with io.modelcontextprotocol/subscriptionI… <- {"method":"notifications/subscriptions/acknowledged"} (subscriptions/listen)', '-base-15: io.modelcontextprotocol/subscriptionId in the _meta of each message of a subscription <- {"method":"notifications/subscriptions/acknowledged"} (subscriptions/listen)']],
      ['an error', { 'subscriptions/listen': from(2, fails(-32601)) }, []], ['nothing', { 'subscriptions/listen': from(2, silent) }, []],
      ['something else before', { 'subscriptions/listen': from(2, (_said, { id }) => ({ ...acknowledged(id), before: [{ jsonrpc: '2.0', method: 'notifications/other' }, ...acknowledged(id).before ?? []] })) }, ['subscriptions-2 base-15']],
    ],
  },
  { probe: 'a subscription', version: modern, http: true, options: { quick: true }, asks: ['subscriptions/listen {"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged"…'], says: ['subscriptions-2 base-15'], faults: [] },
  {
    probe: 'ping', version: v25, asks: ['ping'], says: ['ping-1'], faults: [
      ['a result with a member', { ping: gives({ pong: true }) }, ['-ping-1: an empty result <- {"result":{"pong":true}} (ping)']], ['a result with _meta', { ping: gives({ _meta: {} }) }, ['ping-1']], ['an error', { ping: fails(-32601) }, ['-ping-1: an empty result <- {"error":{"code":-32601,"message":"no"}} (ping)']], ['no answer', { ping: silent }, ['-ping-1: an empty result <- no answer in time (ping)']],
    ],
  },
  {
    probe: 'a version that does not exist', version: v25, versions: [modern, v25, v24], asks: ['initialize {"protocolVersion":"1999-01-01"}', 'notifications/initialized'], says: ['lifecycle-22 lifecycle-24'], faults: [
      ['the version that was asked for', { initialize: from(2, changed({ protocolVersion: '1999-01-01' })) }, ['-lifecycle-22: a result with another version, which the server supports <- {"result":{"protocolVersion":"1999-01-01","capabilities":{"tools":{},"resources":{},"promp… (initialize)', '-lifecycle-24: the newest version that the server has: 2025-11-25 <- {"result":{"protocolVersion":"1999-01-01","capabilities":{"tools":{},"resources":{},"promp… (initialize)']], ['an older version', { initialize: from(2, changed({ protocolVersion: v24 })) }, ['lifecycle-22', '-lifecycle-24: the newest version that the server has: 2025-11-25 <- {"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{},"resources":{},"promp… (initialize)']],
      ['no version', { initialize: from(2, changed({ protocolVersion: undefined })) }, ['-lifecycle-22: a result with another version, which the server supports <- {"result":{"capabilities":{"tools":{},"resources":{},"prompts":{},"logging":{},"completion… (initialize)', '-lifecycle-24: the newest version that the server has: 2025-11-25 <- {"result":{"capabilities":{"tools":{},"resources":{},"prompts":{},"logging":{},"completion… (initialize)']], ['an error', { initialize: from(2, fails(-32602)) }, ['-lifecycle-22: a result with another version, which the server supports <- {"error":{"code":-32602,"message":"no"}} (initialize)']], ['no answer', { initialize: from(2, silent) }, ['-lifecycle-22: a result with another version, which the server supports <- no answer in time (initialize)']],
    ],
  },
  { probe: 'a version that does not exist', version: v25, options: { revisions: [v25] }, asks: ['initialize {"protocolVersion":"1999-01-01"}', 'notifications/initialized'], says: ['lifecycle-22'], faults: [] },
  {
    probe: 'ids of both types', version: v25, asks: ['ping {"id":"judge-text-0"}', 'judge/unknown {"id":"judge-text"}', 'ping', 'judge/unknown'], says: ['base-70×2 base-33×2'], faults: [
      ['no answer', { ping: where(strange, silent), 'judge/unknown': where(strange, silent) }, ['-base-70: a response with the id "judge-text-0" <- no answer in time (ping)', '-base-33: a response with the id "judge-text" <- no answer in time (judge/unknown)', '-base-70: a response with the id -1 <- no answer in time (ping)', '-base-33: a response with the id 0 <- no answer in time (judge/unknown)']],
      ['texts for numbers', { ping: where(strange, (said, { id }) => ({ ...said, id: `${String(id)}` })), 'judge/unknown': where(strange, (said, { id }) => ({ ...said, id: `${String(id)}` })) }, ['base-70 base-33', '-base-70: a response with the id -1 <- {"id":"-1","result":{}} (ping)', '-base-33: a response with the id 0 <- {"id":"0","error":{"code":-32601,"message":"no such method"}} (judge/unknown)']],
      ['another id', { ping: where(strange, also({ id: 77 })), 'judge/unknown': where(strange, also({ id: null })) }, ['-base-70: a response with the id "judge-text-0" <- {"result":{}} (ping)', '-base-33: a response with the id "judge-text" <- {"id":null,"error":{"code":-32601,"message":"no such method"}} (judge/unknown)', '-base-70: a response with the id -1 <- {"result":{}} (ping)', '-base-33: a response with the id 0 <- {"id":null,"error":{"code":-32601,"message":"no such method"}} (judge/unknown)']],
      ['a notification before', { ping: where(strange, first({ method: 'notifications/other' })) }, ['base-70×2 base-33×2']],
    ],
  },
  { probe: 'ids of both types', version: modern, http: true, asks: ['server/discover {"id":"judge-text-0"}', 'judge/unknown {"id":"judge-text"}', 'server/discover', 'judge/unknown'], says: ['base-70×2 base-33×2'], faults: [['no body', { 'server/discover': where(strange, instead({ status: 500 })) }, ['base-33×2']]] },
  {
    probe: 'an id that is not ASCII', version: v25, asks: ['ping {"id":"jüdge-✓-審判"}'], says: ['base-60'], faults: [
      ['Latin-1', { ping: where(strange, also({ id: 'j?dge-? ??' })) }, ['-base-60: the id as it was sent, in UTF-8 <- {"id":"j?dge-? ??","result":{}} (ping)']], ['a lost id', { ping: where(strange, also({ id: null })) }, []], ['no answer', { ping: where(strange, silent) }, []],
      ['decomposed', { ping: where(strange, also({ id: 'ju\u0308dge-✓-審判' })) }, ['-base-60: the id as it was sent, in UTF-8 <- {"id":"jüdge-✓-審判","result":{}} (ping)']],
    ],
  },
  { probe: 'an id that is not ASCII', version: modern, asks: ['server/discover {"id":"jüdge-✓-審判"}'], says: ['base-60'], faults: [] },
  {
    probe: 'an unknown notification', version: v25, asks: ['notifications/judge/unknown', 'ping'], says: ['base-62'], faults: [
      ['an error', { notify: instead({ error: { code: -32601, message: 'no' }, id: null }) }, ['-base-62: no response to a notification <- {"id":null,"error":{"code":-32601,"message":"no"}} (notifications/judge/unknown)']], ['a result', { notify: about('unknown', gives({}, { id: 'x' })) }, ['-base-62: no response to a notification <- {"id":"x","result":{}} (notifications/judge/unknown)']],
      ['a notification', { notify: about('unknown', more({ method: 'notifications/other' })) }, ['base-62']], ['then no ping', { ping: fails(-32601) }, []],
    ],
  },
  { probe: 'an unknown notification', version: modern, http: true, asks: ['notifications/judge/unknown', 'server/discover'], says: ['base-62'], faults: [['a refusal', { notify: about('unknown', instead({ status: 400, error: { code: -32601, message: 'no' }, id: null })) }, []]] },
  {
    probe: 'a batch', version: batches, asks: ['ping', 'ping'], says: ['base-19'], faults: [
      ['only one answer', { ping: from(2, silent) }, ['-base-19: a result for each request of the batch <- {"result":{}} (ping)']], ['no answer', { ping: silent }, ['-base-19: a result for each request of the batch <- no answer in time (ping)']], ['an error', { ping: from(2, fails(-32600)) }, ['-base-19: a result for each request of the batch <- {"result":{}} {"error":{"code":-32600,"message":"no"}} (ping)']], ['no first answer', { ping: from(1, silent, 1) }, ['-base-19: a result for each request of the batch <- {"result":{}} (ping)']],
    ],
  },
  { probe: 'a batch', version: v25, asks: [], says: [], faults: [] },
  {
    probe: 'texts that are not messages', version: v25, asks: ['initialize {"protocolVersion":"2025-11-25"}', 'notifications/initialized', 'ping', 'ping'], says: ['form-parse-error form-invalid-request'], faults: [
      ['silence', { text: silent }, ['?form-parse-error: error -32700 <- nothing ({)', '?form-invalid-request: error -32600 <- nothing ({"judge":true})']], ['other codes', { text: fails(-32603, { id: null }) }, ['-form-parse-error: error -32700 <- {"id":null,"error":{"code":-32603,"message":"no"}} ({)', '-form-invalid-request: error -32600 <- {"id":null,"error":{"code":-32603,"message":"no"}} ({"judge":true})']], ['an error without a code', { text: instead({ error: {}, id: null }) }, ['?form-parse-error: error -32700 <- nothing ({)', '?form-invalid-request: error -32600 <- nothing ({"judge":true})']], ['it ends', { ping: silent }, ['-form-parse-error: that the server goes on, and answers the next request <- no answer in time ({)']],
      ['it ends after the second', { ping: from(2, silent) }, ['form-parse-error', '-form-invalid-request: that the server goes on, and answers the next request <- no answer in time ({"judge":true})']],
    ],
  },
  { probe: 'texts that are not messages', version: v25, http: true, asks: ['initialize {"protocolVersion":"2025-11-25"}', 'notifications/initialized', 'ping', 'ping'], says: ['form-parse-error form-invalid-request'], faults: [['a status only', { text: instead({ status: 400 }) }, ['form-parse-error form-invalid-request']], ['it accepts them', { text: instead({ status: 202 }) }, ['?form-parse-error: error -32700 <- nothing ({)', '?form-invalid-request: error -32600 <- nothing ({"judge":true})']]] },
  {
    probe: 'cancellations without a running request', version: v25, asks: ['notifications/cancelled {"requestId":987654,"reason":"no such request"}', 'ping', 'ping', 'notifications/cancelled {"requestId":11,"reason":"too late"}', 'ping'], says: ['cancellation-15 cancellation-13 cancellation-22'], faults: [
      ['an error to each', { notify: about('cancelled', instead({ error: { code: -32600, message: 'no' }, id: null })) }, ['-cancellation-15: no answer: the request is unknown <- {"id":null,"error":{"code":-32600,"message":"no"}} (notifications/cancelled)', '-cancellation-13 -cancellation-22: no answer: the request is finished <- {"id":null,"error":{"code":-32600,"message":"no"}} (notifications/cancelled)']],
      ['an error to the unknown', { notify: about('987654', instead({ error: { code: -32600, message: 'no' }, id: null })) }, ['cancellation-13 cancellation-22', '-cancellation-15: no answer: the request is unknown <- {"id":null,"error":{"code":-32600,"message":"no"}} (notifications/cancelled)']],
      ['an error to the finished', { notify: about('too late', instead({ error: { code: -32600, message: 'no' }, id: null })) }, ['cancellation-15', '-cancellation-13 -cancellation-22: no answer: the request is finished <- {"id":null,"error":{"code":-32600,"message":"no"}} (notifications/cancelled)']],
      ['no ping then', { ping: silent }, ['-cancellation-15: no answer: the request is unknown <- no answer in time (notifications/cancelled)', '-cancellation-13 -cancellation-22: no answer: the request is finished <- no answer in time (notifications/cancelled)']],
    ],
  },
  {
    probe: 'cancellations without a running request', version: '2025-06-18', asks: ['notifications/cancelled {"requestId":987654,"reason":"no such request"}', 'ping', 'ping', 'notifications/cancelled {"requestId":11,"reason":"too late"}', 'ping', 'notifications/cancelled {"requestId":{"judge":true}}', 'ping'], says: ['cancellation-15 cancellation-13 cancellation-22 cancellation-14'], faults: [['an error to the malformed', { notify: about('{"judge":true}', instead({ error: { code: -32600, message: 'no' }, id: null })) }, ['cancellation-15 cancellation-13 cancellation-22', '-cancellation-14: no answer: the cancellation is malformed <- {"id":null,"error":{"code":-32600,"message":"no"}} (notifications/cancelled)']]],
  },
  {
    probe: 'cancellations without a running request', version: '2025-06-18', http: true, asks: ['notifications/cancelled {"requestId":987654,"reason":"no such request"}', 'ping', 'ping', 'notifications/cancelled {"requestId":10,"reason":"too late"}', 'ping', 'notifications/cancelled {"requestId":{"judge":true}}', 'ping'], says: ['cancellation-15 cancellation-13 cancellation-22 cancellation-14'], faults: [['a status', { notify: about('cancelled', instead({ status: 400, body: 'no' })) }, ['?cancellation-15: no answer: the request is unknown <- HTTP 400 no (notifications/cancelled)', '?cancellation-13: no answer: the request is finished <- HTTP 400 no (notifications/cancelled)', '?cancellation-14: no answer: the cancellation is malformed <- HTTP 400 no (notifications/cancelled)']]],
  },
  { probe: 'cancellations without a running request', version: modern, asks: ['notifications/cancelled {"requestId":987654,"reason":"no such request"}', 'server/discover', 'server/discover', 'notifications/cancelled {"requestId":11,"reason":"too late"}', 'server/discover', 'notifications/cancelled {"requestId":{"judge":true}}', 'server/discover'], says: ['cancellation-15 cancellation-13 cancellation-22 cancellation-14'], faults: [] },
  { probe: 'cancellations without a running request', version: modern, http: true, asks: [], says: [], faults: [] },
  {
    probe: 'a cancelled call', version: v25, tools: ['add', 'slow'], asks: ['tools/call {"name":"slow","arguments":{}} {"meta":{"progressToken":"judge-cancelled"}}', 'ping', 'notifications/cancelled {"requestId":11,"reason":"the judge cancels it"}', 'ping'], says: ['cancellation-9 cancellation-10'], faults: [
      ['a late answer', { notify: about('cancels', (said, { connection }) => (connection.cancelled.clear(), said)) }, ['-cancellation-9: no response to a cancelled request <- {"result":{"content":[{"type":"text","text":"done"}]}} (notifications/cancelled)', '-cancellation-10: nothing more of the cancelled request <- {"result":{"content":[{"type":"text","text":"done"}]}} (notifications/cancelled)']],
      ['an answer at once', { notify: about('cancels', (said, { connection, params }) => ({ ...said, after: [{ jsonrpc: '2.0', id: params['requestId'], result: connection.cancelled.size > 9 ? {} : { content: [] } }] })) }, []],
      ['progress after it', { 'tools/call': about('judge-cancelled', also({ after: [{ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'judge-cancelled', progress: 1 } }] })) }, ['cancellation-9', '-cancellation-10: nothing more of the cancelled request <- {"method":"notifications/progress","params":{"progressToken":"judge-cancelled","progress":… (notifications/cancelled)']],
      ['progress of another call after it', { 'tools/call': about('judge-cancelled', also({ after: [{ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'other', progress: 1 } }] })) }, ['cancellation-9 cancellation-10']],
    ],
  },
  { probe: 'a cancelled call', version: v25, tools: ['add', 'endless'], asks: ['tools/call {"name":"endless","arguments":{}} {"meta":{"progressToken":"judge-cancelled"}}', 'ping', 'notifications/cancelled {"requestId":11,"reason":"the judge cancels it"}', 'ping'], says: ['cancellation-9 cancellation-10'], faults: [] },
  { probe: 'a cancelled call', version: v25, tools: ['add'], asks: [], says: [], faults: [] },
  { probe: 'a cancelled call', version: modern, tools: ['slow'], http: true, asks: [], says: [], faults: [] },
  { probe: 'a cancelled call', version: modern, tools: ['slow'], asks: ['tools/call {"name":"slow","arguments":{}} {"meta":{"progressToken":"judge-cancelled"}}', 'server/discover', 'notifications/cancelled {"requestId":10,"reason":"the judge cancels it"}', 'server/discover'], says: ['cancellation-9 stdio-8 cancellation-10'], faults: [] },
  { probe: 'a cancelled call', version: v25, tools: ['slow'], http: true, edits: { 'tools/call': about('judge-cancelled', instead({ status: 500, ms: 700 })) }, asks: ['tools/call {"name":"slow","arguments":{}} {"meta":{"progressToken":"judge-cancelled"}}', 'ping', 'notifications/cancelled {"requestId":9,"reason":"the judge cancels it"}', 'ping'], says: [], faults: [] },
  { probe: 'a call that is cancelled while the server asks', version: v25, tools: ['add', 'ask'], asks: ['initialize {"protocolVersion":"2025-11-25"}', 'notifications/initialized', 'tools/call {"name":"ask","arguments":{}}', 'notifications/cancelled {"requestId":2,"reason":"the judge cancels it"}'], says: [], faults: [] },
  { probe: 'a call that is cancelled while the server asks', version: v25, tools: ['add'], asks: [], says: [], faults: [] },
  { probe: 'a call that is cancelled while the server asks', version: v25, tools: ['ask'], edits: { 'tools/call': from(2, gives({})) }, asks: ['initialize {"protocolVersion":"2025-11-25"}', 'notifications/initialized', 'tools/call {"name":"ask","arguments":{}}'], says: [], faults: [] },
  {
    probe: 'a call that is cancelled after its question was answered', version: v25, tools: ['add', 'ask', 'ask_and_work'], asks: ['initialize {"protocolVersion":"2025-11-25"}', 'notifications/initialized', 'tools/call {"name":"ask_and_work","arguments":{}}', 'notifications/cancelled {"requestId":2,"reason":"the judge cancels it"}'], says: ['cancellation-4'], faults: [
      ['it cancels the question', { notify: about('cancels', more({ method: 'notifications/cancelled', params: { requestId: 'question-3' } })) }, ['-cancellation-4: no cancellation of the question "question-3", which was answered <- {"method":"notifications/cancelled","params":{"requestId":"question-3"}}']],
      ['it cancels another question', { notify: about('cancels', more({ method: 'notifications/cancelled', params: { requestId: 'question-1' } })) }, ['cancellation-4']],
      ['it cancels nothing', { notify: about('cancels', more({ method: 'notifications/cancelled' })) }, ['cancellation-4']],
      ['it says something else of it', { notify: about('cancels', more({ method: 'notifications/other', params: { requestId: 'question-3' } })) }, ['cancellation-4']],
    ],
  },
  { probe: 'a call that is cancelled after its question was answered', version: v25, tools: ['ask_and_work'], edits: { 'tools/call': from(2, silent) }, asks: ['initialize {"protocolVersion":"2025-11-25"}', 'notifications/initialized', 'tools/call {"name":"ask_and_work","arguments":{}}'], says: [], faults: [] },
  { probe: 'a call that is cancelled after its question was answered', version: v25, tools: ['ask_and_work'], edits: { 'tools/call': from(2, (said) => ({ ...said, then: () => ({ result: { content: [] }, ms: 300 }) })) }, asks: ['initialize {"protocolVersion":"2025-11-25"}', 'notifications/initialized', 'tools/call {"name":"ask_and_work","arguments":{}}'], says: [], faults: [] },
  { probe: 'a call that is cancelled after its question was answered', version: v25, tools: ['ask'], asks: [], says: [], faults: [] },
  {
    probe: 'not JSON, cut, nested and large', version: v25, asks: ['initialize {"protocolVersion":"2025-11-25"}', 'notifications/initialized', 'ping', 'initialize {"protocolVersion":"2025-11-25"}', 'notifications/initialized', 'ping', 'initialize {"protocolVersion":"2025-11-25"}', 'notifications/initialized', 'ping', 'initialize {"protocolVersion":"2025-11-25"}', 'notifications/initialized', 'ping', 'initialize {"protocolVersion":"2025-11-25"}', 'notifications/initialized', 'ping', 'initialize {"protocolVersion":"2025-11-25"}', 'notifications/initialized', 'ping'], says: ['form-parse-error×6'], faults: [
      ['silence', { text: silent }, []], ['another code', { text: fails(-32600, { id: null }) }, []],
      ['it ends that conversation', { text: (_said, { connection }) => (connection.declared = { dead: true }, { silent: true }), ping: (said, { connection }) => (connection.declared['dead'] ? { silent: true } : said) }, ['?form-parse-error: that the server goes on, and answers a ping in the same conversation <- the conversation ended; a new one was answered (judge: this is not JSON)', '?form-parse-error: that the server goes on, and answers a ping in the same conversation <- the conversation ended; a new one was answered ({"method":"pi)', '?form-parse-error: that the server goes on, and answers a ping in the same conversation <- the conversation ended; a new one was answered (\u0000\u0001\u0002)', '?form-parse-error: that the server goes on, and answers a ping in the same conversation <- the conversation ended; a new one was answered ([[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[…)', '?form-parse-error: that the server goes on, and answers a ping in the same conversation <- the conversation ended; a new one was answered ({"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":…)', '?form-parse-error: that the server goes on, and answers a ping in the same conversation <- the conversation ended; a new one was answered ({"method":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx ... (8000035 …)']],
      ['it ends for good', { ping: silent }, ['-form-parse-error: that the server goes on, and answers a ping <- no answer in time (judge: this is not JSON)']],
    ],
  },
  { probe: 'members that an object inherits', version: v25, asks: ['initialize {"protocolVersion":"2025-11-25"}', 'notifications/initialized', 'ping', 'initialize {"protocolVersion":"2025-11-25"}', 'notifications/initialized', 'ping'], says: ['form-invalid-request×2'], faults: [['another code', { text: fails(-32700, { id: null }) }, []], ['it ends for good', { ping: silent }, ['-form-invalid-request: that the server goes on, and answers a ping <- no answer in time (ping)']]] },
  {
    probe: 'bytes that are not UTF-8', version: modern, http: true, asks: [], says: ['base-60'], faults: [
      ['a result', { text: gives({}, { id: 'judge-bytes' }) }, ['?base-60: an error: the bytes ff fe are not UTF-8 <- {"id":"judge-bytes","result":{}} (server/discover)']], ['a status', { text: instead({ status: 400, body: 'no' }) }, ['base-60']], ['it accepts them', { text: instead({ status: 202 }) }, []], ['nothing', { text: silent }, []],
    ],
  },
  { probe: 'bytes that are not UTF-8', version: v25, http: true, asks: [], says: ['base-60'], faults: [['an error', { text: fails(-32700, { id: 'judge-bytes' }) }, ['base-60']]] },
  {
    probe: 'the end of its input', version: v25, asks: ['initialize {"protocolVersion":"2025-11-25"} {"declares":{}}'], says: [], faults: [],
  },
  { probe: 'the end of its input', version: modern, endMs: 1_899, asks: ['server/discover', 'server/discover', 'subscriptions/listen {"notifications":{"toolsListChanged":true}}'], says: ['stdio-10×2'], faults: [['it does not listen', { 'subscriptions/listen': fails(-32601) }, ['stdio-10×2']]] },
  { probe: 'the end of its input', version: modern, endMs: 1_900, edits: {}, asks: ['server/discover', 'server/discover'], says: ['-stdio-10: that the server exits once its input ends <- it still ran 1900 ms after its stdin was closed, and had to be killed'], faults: [] },
  { probe: 'the end of its input', version: v25, versions: [modern, v25], asks: [], says: [], faults: [] },
];
