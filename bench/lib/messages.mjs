// The requests of both eras, as strings with a gap for the id. Ids have seven digits, so that all responses to the same request
// have the same length, which the load generators check cheaply.
export const LEGACY = '2025-11-25';
export const MODERN = '2026-07-28';
export const FIRST_ID = 1_000_000;

const clientInfo = { name: 'bench', version: '1.0.0' };
const capabilities = { elicitation: {} };

export const initialize = (protocolVersion = LEGACY) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion, capabilities, clientInfo } });
export const initialized = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};

/** A request as text, before and after its id. `meta` is added to `params._meta`. */
export function request(method, params, { modern = false, meta } = {}) {
  const _meta = modern || meta ? { ...(modern ? modernMeta : {}), ...meta } : undefined;
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7777777, method, params: { ..._meta && { _meta }, ...params } });
  const [before, after] = body.split('7777777');
  return { before, after, method, name: params?.name };
}

export const echo = (text, options) => request('tools/call', { name: 'echo', arguments: { text } }, options);
export const progressCall = (options) =>
  request('tools/call', { name: 'progress', arguments: {} }, { ...options, meta: { progressToken: 'p1' } });
export const listTools = (options) => request('tools/list', {}, options);

/** The headers of one POST. A modern request repeats its method and name; a session adds its id and the agreed revision. */
export function headers(message, { modern = false, session, version = LEGACY } = {}) {
  const out = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': modern ? MODERN : version,
  };
  if (modern) {
    out['mcp-method'] = message.method;
    if (message.name !== undefined) out['mcp-name'] = message.name;
  }
  if (session !== undefined) out['mcp-session-id'] = session;
  return out;
}

/** The JSON-RPC messages in a response body, plain JSON or SSE. */
export function messagesOf(contentType, body) {
  if (!String(contentType).includes('text/event-stream')) return body === '' ? [] : [JSON.parse(body)];
  return body
    .split('\n\n')
    .map((event) => event.split('\n').filter((line) => line.startsWith('data:')).map((line) => line.slice(5)).join('\n'))
    .filter((data) => data.trim() !== '')
    .map((data) => JSON.parse(data));
}

/** Throws unless the answer to an echo of `text` is one text block with that text. */
export function checkEcho(answer, text) {
  const block = answer?.result?.content;
  if (!Array.isArray(block) || block.length !== 1 || block[0].type !== 'text' || block[0].text !== text) {
    throw new Error(`wrong answer to echo: ${JSON.stringify(answer)?.slice(0, 300)}`);
  }
}
