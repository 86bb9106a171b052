// Changes to the messages of third-party clients, each with the rule that it breaks. `message`: for a method, or for responses
// (`response`); returns the changed message, `null` to drop it, or undefined if it does not apply. `head`: the headers of an HTTP
// request.

const of = (rule, method, what, edit) => ({ rule, what, message: (json, seen) => (json.method === method ? edit(json, seen) : undefined) });
const answer = (rule, what, edit) => ({ rule, what, message: (json, seen) => (json.method === undefined && json.id !== undefined ? edit(json, seen) : undefined) });
const without = (json, ...path) => {
  const copy = structuredClone(json);
  const last = path.pop();
  const at = path.reduce((one, name) => one?.[name], copy);
  if (at === undefined || !(last in at)) return undefined;
  delete at[last];
  return copy;
};
const head = (rule, what, edit) => ({ rule, what, head: edit });

export const messages = [
  of('lifecycle-7', 'initialize', 'no protocolVersion', (json) => without(json, 'params', 'protocolVersion')),
  of('lifecycle-7', 'initialize', 'a number as the version', (json) => ({ ...json, params: { ...json.params, protocolVersion: 2025 } })),
  of('lifecycle-5', 'initialize', 'no capabilities', (json) => without(json, 'params', 'capabilities')),
  of('lifecycle-6', 'initialize', 'no clientInfo', (json) => without(json, 'params', 'clientInfo')),
  of('lifecycle-6', 'initialize', 'clientInfo without a version', (json) => without(json, 'params', 'clientInfo', 'version')),
  of('lifecycle-25', 'notifications/initialized', 'no notifications/initialized', () => null),
  of('base-61', 'notifications/initialized', 'a notification with an id', (json) => ({ ...json, id: 77 })),
  of('base-59', 'tools/list', '"jsonrpc" is "1.0"', (json) => ({ ...json, jsonrpc: '1.0' })),
  of('base-59', 'tools/list', 'no "jsonrpc"', (json) => without(json, 'jsonrpc')),
  of('base-59', 'tools/call', 'params that are a list', (json) => ({ ...json, params: [] })),
  of('base-68', 'tools/list', 'the id null', (json) => ({ ...json, id: null })),
  of('base-65', 'tools/list', 'a fraction as the id', (json) => ({ ...json, id: 1.5 })),
  of('base-65', 'tools/list', 'an object as the id', (json) => ({ ...json, id: { a: 1 } })),
  of('base-66', 'tools/list', 'the id of the handshake again', (json, seen) => (seen.first === undefined ? undefined : { ...json, id: seen.first })),
  of('progress-8', 'tools/call', 'a fraction as the progress token', (json) => ({ ...json, params: { ...json.params, _meta: { ...json.params._meta, progressToken: 1.5 } } })),
  of('base-17', 'tools/list', 'a _meta key that ends with a hyphen', (json) => ({ ...json, params: { ...json.params, _meta: { ...json.params?._meta, 'example.com/key-': 1 } } })),
  of('base-13', 'tools/list', 'a label that begins with a digit', (json) => ({ ...json, params: { ...json.params, _meta: { ...json.params?._meta, '1abc.example/key': 1 } } })),
  of('base-10', 'tools/list', 'two dots in a prefix', (json) => ({ ...json, params: { ...json.params, _meta: { ...json.params?._meta, 'abc..example/key': 1 } } })),
  of('lifecycle-14', 'tools/list', 'a method of another revision', (json) => ({ ...json, method: 'subscriptions/listen' })),
  answer('base-69', 'a result and an error', (json) => ('result' in json ? { ...json, error: { code: 1, message: 'x' } } : undefined)),
  answer('base-70', 'the id as another text', (json) => ('result' in json ? { ...json, id: `${json.id}x` } : undefined)),
  answer('base-33', 'an error of another id', (json) => ('error' in json ? { ...json, id: `${json.id}x` } : undefined)),
  answer('base-31', 'the code as a text', (json) => ('error' in json ? { ...json, error: { ...json.error, code: String(json.error.code) } } : undefined)),
  answer('base-32', 'an error without a message', (json) => ('error' in json ? without(json, 'error', 'message') : undefined)),
  answer('base-71', 'a result that is a text', (json) => ('result' in json ? { ...json, result: 'done' } : undefined)),
  answer('ping-1', 'a member in the answer to ping', (json) => ('result' in json && Object.keys(json.result).length === 0 ? { ...json, result: { pong: true } } : undefined)),
  answer('roots-14', 'a root of http', (json) => (json.result?.roots ? { ...json, result: { roots: [{ uri: 'http://127.0.0.1/x' }] } } : undefined)),
  answer('roots-18', 'a root with steps upward', (json) => (json.result?.roots ? { ...json, result: { roots: [{ uri: 'file:///a/../b' }] } } : undefined)),
  answer('elicitation-15', 'content that does not fit', (json) => (json.result?.action === 'accept' ? { ...json, result: { action: 'accept', content: { name: 7 } } } : undefined)),
  answer('elicitation-10', 'an action of nobody', (json) => (json.result?.action ? { ...json, result: { action: 'perhaps' } } : undefined)),
];

export const pipe = [
  { rule: 'stdio-3', what: 'a log on the input of the server', extraWith: 'tools/list', extra: 'listing the tools' },
  { rule: 'stdio-1', what: 'a message on two lines', lines: (line) => (line.includes('"tools/list"') ? [line.slice(0, line.indexOf(',') + 1), line.slice(line.indexOf(',') + 1)] : undefined) },
];

export const http = [
  head('streamable-http-41', 'no text/event-stream in Accept', (fields, { method }) => (method === 'POST' ? { ...fields, accept: 'application/json' } : undefined)),
  head('streamable-http-41', 'no application/json in Accept', (fields, { method }) => (method === 'POST' ? { ...fields, accept: 'text/event-stream' } : undefined)),
  head('lifecycle-20', 'no MCP-Protocol-Version', (fields) => ('mcp-protocol-version' in fields ? Object.fromEntries(Object.entries(fields).filter(([name]) => name !== 'mcp-protocol-version')) : undefined)),
  head('transports-10', 'another MCP-Protocol-Version', (fields) => ('mcp-protocol-version' in fields ? { ...fields, 'mcp-protocol-version': '2024-11-05' } : undefined)),
  head('transports-32', 'no Mcp-Session-Id', (fields) => ('mcp-session-id' in fields ? Object.fromEntries(Object.entries(fields).filter(([name]) => name !== 'mcp-session-id')) : undefined)),
  head('transports-3', 'no text/event-stream in Accept of GET', (fields, { method }) => (method === 'GET' ? { ...fields, accept: '*/*' } : undefined)),
];

const meta = 'io.modelcontextprotocol/';
/** For a client of 2026-07-28. */
export const modern = [
  of('base-7', 'tools/list', 'no capabilities in _meta', (json) => without(json, 'params', '_meta', `${meta}clientCapabilities`)),
  of('base-8', 'tools/list', 'no clientInfo in _meta', (json) => without(json, 'params', '_meta', `${meta}clientInfo`)),
];
export const modernHttp = [
  head('streamable-http-15', 'no MCP-Protocol-Version', (fields, { body }) => (body.includes('2026-07-28') ? Object.fromEntries(Object.entries(fields).filter(([name]) => name !== 'mcp-protocol-version')) : undefined)),
  head('streamable-http-19', 'another MCP-Protocol-Version', (fields, { body }) => (body.includes('2026-07-28') ? { ...fields, 'mcp-protocol-version': '2025-11-25' } : undefined)),
  head('streamable-http-6', 'no Mcp-Method', (fields, { body }) => (body.includes('tools/list') ? Object.fromEntries(Object.entries(fields).filter(([name]) => name !== 'mcp-method')) : undefined)),
  head('streamable-http-8', 'another Mcp-Method', (fields, { body }) => (body.includes('"tools/list"') ? { ...fields, 'mcp-method': 'tools/call' } : undefined)),
  head('streamable-http-8', 'another Mcp-Name', (fields, { body }) => (body.includes('"tools/call"') ? { ...fields, 'mcp-name': 'another' } : undefined)),
  of('mrtr-4', 'tools/call', 'another requestState', (json) => (json.params.requestState === undefined ? undefined : { ...json, params: { ...json.params, requestState: `${json.params.requestState}x` } })),
  of('mrtr-3', 'tools/call', 'no inputResponses', (json) => (json.params.inputResponses === undefined ? undefined : without(json, 'params', 'inputResponses'))),
];
