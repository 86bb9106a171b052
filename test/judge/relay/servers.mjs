// Changes to the messages of third-party servers, each with the rule that it breaks. `on`: in the result of this method; `error`:
// in its error; `said`: in a notification or request of the server; `text`: in the text of any message. A change returns false if
// it does not apply.

const drop = (path, name) => (value) => change(value, path, (at) => (name in at ? delete at[name] : false));
const put = (path, name, to, where = () => true) => (value) => change(value, path, (at) => {
  if (!where(at)) return false;
  at[name] = typeof to === 'function' ? to(at[name], at) : to;
  return true;
});
/** Applies a change at a path: `tools.0` is the first tool; `*` is the first item to which the change applies. */
function change(value, path, work) {
  let at = [value];
  for (const name of path === '' ? [] : path.split('.')) at = at.flatMap((one) => (one === null || typeof one !== 'object' ? [] : name === '*' ? Object.values(one) : one[name] === undefined ? [] : [one[name]]));
  return at.some((one) => one !== null && typeof one === 'object' && work(one));
}

const result = (rule, method, what, edit) => ({ rule, what, on: method, edit });
const error = (rule, method, what, edit, code) => ({ rule, what, error: method, edit, code });
const said = (rule, method, what, edit) => ({ rule, what, said: method, edit });
const text = (rule, what, edit) => ({ rule, what, text: edit });

/** Changes to messages of any revision, for the official everything server. */
export const messages = [
  text('base-59', '"jsonrpc" is "1.0" in each result', (line) => line.replace(/"jsonrpc":"2.0"(?=.*"result")|(?<="result".*)"jsonrpc":"2.0"/, '"jsonrpc":"1.0"')),
  text('base-59', 'results have no "jsonrpc"', (line) => (line.includes('"tools":[') ? line.replace(/"jsonrpc":"2.0",|,"jsonrpc":"2.0"/, '') : line)),
  { rule: 'base-69', what: 'a result and an error', whole: (json) => ('result' in json && Array.isArray(json.result.tools) ? { ...json, error: { code: 1, message: 'x' } } : undefined) },
  { rule: 'base-69', what: 'neither a result nor an error', whole: (json, method) => (method === 'prompts/list' ? { jsonrpc: '2.0', id: json.id } : undefined) },
  { rule: 'base-71', what: 'a result that is a list', whole: (json, method) => (method === 'tools/list' && 'result' in json ? { ...json, result: [] } : undefined) },
  { rule: 'base-71', what: 'a result that is a text', whole: (json, method) => (method === 'resources/list' && 'result' in json ? { ...json, result: 'done' } : undefined) },
  { rule: 'base-70', what: 'the id as a text', whole: (json, method) => (method === 'ping' && typeof json.id === 'number' ? { ...json, id: String(json.id) } : undefined) },
  { rule: 'base-33', what: 'another id in an error', whole: (json, method) => (method === 'judge/unknown' ? { ...json, id: 'another' } : undefined) },
  { rule: 'base-33', what: 'an error whose id is a text', whole: (json, method) => (method === 'judge/unknown' && typeof json.id === 'number' ? { ...json, id: String(json.id) } : undefined) },
  error('base-31', 'judge/unknown', 'the code as a text', put('', 'code', String)),
  error('base-31', 'judge/unknown', 'a fraction as the code', put('', 'code', -32601.5)),
  error('base-31', 'judge/unknown', 'no code', drop('', 'code')),
  error('base-32', 'judge/unknown', 'no message', drop('', 'message')),
  error('base-32', 'prompts/get', 'a number as the message', put('', 'message', 7)),
  error('form-unknown-method', 'judge/unknown', 'the code of an invalid request', put('', 'code', -32600)),
  error('form-unknown-method', 'judge/unknown', 'the code of an internal error', put('', 'code', -32603)),
  { rule: 'form-unknown-method', what: 'a result for an unknown method', whole: (json, method) => (method === 'judge/unknown' ? { jsonrpc: '2.0', id: json.id, result: {} } : undefined) },
  { rule: 'form-unknown-tool', what: 'a plain result for an unknown tool', whole: (json, method, params) => (method === 'tools/call' && params.name === 'judge-unknown-tool' ? { jsonrpc: '2.0', id: json.id, result: { content: [] } } : undefined) },
  error('prompts-9', 'prompts/get', 'another code for an unknown prompt', put('', 'code', -32000)),
  error('resources-8', 'resources/read', 'another code for an unknown resource', put('', 'code', -32603)),
  error('completion-3', 'completion/complete', 'another code for an unknown prompt', put('', 'code', -32000)),
  result('lifecycle-11', 'initialize', 'no capabilities', drop('', 'capabilities')),
  result('lifecycle-11', 'initialize', 'no serverInfo', drop('', 'serverInfo')),
  result('lifecycle-11', 'initialize', 'serverInfo without a version', drop('serverInfo', 'version')),
  result('form-initialize', 'initialize', 'instructions that are a list', put('', 'instructions', [])),
  result('form-initialize', 'initialize', 'a number as the name', put('serverInfo', 'name', 7)),
  result('ping-1', 'ping', 'a member in the result', put('', 'pong', true)),
  result('tools-21', 'tools/list', 'no inputSchema', drop('tools.0', 'inputSchema')),
  result('tools-21', 'tools/list', 'null as the inputSchema', put('tools.0', 'inputSchema', null)),
  result('tools-27', 'tools/list', 'a name twice', put('tools.1', 'name', (_, at) => at.name && 'echo')),
  result('tools-25', 'tools/list', 'a name of 129 characters', put('tools.0', 'name', 'x'.repeat(129))),
  result('tools-23', 'tools/list', 'a name with a slash', put('tools.0', 'name', 'a/b')),
  result('base-78', 'tools/list', 'a schema with a malformed keyword', put('tools.0', 'inputSchema', { type: 'object', properties: { a: { type: 'string', minLength: 'two' } } })),
  result('base-78', 'tools/list', 'a schema of an unknown type', put('tools.0', 'inputSchema', { type: 'object', properties: { a: { type: 'text' } } })),
  result('form-tools-list', 'tools/list', 'a tool without a name', drop('tools.0', 'name')),
  result('form-tools-list', 'tools/list', 'tools that are an object', put('', 'tools', {})),
  result('form-tools-list', 'tools/list', 'a number as the description', put('tools.0', 'description', 7)),
  result('form-tools-list', 'tools/list', 'a text as readOnlyHint', put('tools.0', 'annotations', { readOnlyHint: 'yes' })),
  result('form-tools-list', 'tools/list', 'null as nextCursor', put('', 'nextCursor', null)),
  result('form-tools-call', 'tools/call', 'no content', drop('', 'content')),
  result('form-tools-call', 'tools/call', 'content that is a text', put('', 'content', 'done')),
  result('form-tools-call', 'tools/call', 'a number as a text', put('content.0', 'text', 7, ({ type }) => type === 'text')),
  result('form-tools-call', 'tools/call', 'content without a type', drop('content.0', 'type')),
  result('form-tools-call', 'tools/call', 'content of an unknown type', put('content.0', 'type', 'words')),
  result('form-tools-call', 'tools/call', 'a text as isError', put('', 'isError', 'no')),
  result('tools-10', 'tools/call', 'structured content without what it must have', put('', 'structuredContent', { other: true }, ({ structuredContent }) => structuredContent !== undefined)),
  result('tools-10', 'tools/call', 'no structured content', drop('', 'structuredContent')),
  result('form-resources-list', 'resources/list', 'a resource without a name', drop('resources.0', 'name')),
  result('form-resources-list', 'resources/list', 'resources that are null', put('', 'resources', null)),
  result('form-resources-list', 'resources/list', 'a text as the size', put('resources.0', 'size', 'large')),
  result('resources-4', 'resources/list', 'a URI without a scheme', put('resources.0', 'uri', 'note.txt')),
  result('form-templates-list', 'resources/templates/list', 'a template without uriTemplate', drop('resourceTemplates.0', 'uriTemplate')),
  result('form-templates-list', 'resources/templates/list', 'a template without a name', drop('resourceTemplates.0', 'name')),
  result('form-resources-read', 'resources/read', 'no contents', drop('', 'contents')),
  result('form-resources-read', 'resources/read', 'contents without a URI', drop('contents.0', 'uri')),
  result('form-resources-read', 'resources/read', 'neither a text nor a blob', (value) => change(value, 'contents.0', (at) => delete at.text && delete at.blob)),
  result('resources-12', 'resources/read', 'a blob that is not Base64', put('contents.0', 'blob', '%%%')),
  result('form-prompts-list', 'prompts/list', 'a prompt without a name', drop('prompts.0', 'name')),
  result('form-prompts-list', 'prompts/list', 'arguments that are an object', put('prompts.*', 'arguments', {})),
  result('form-prompts-list', 'prompts/list', 'a text as required', put('prompts.*.arguments.0', 'required', 'yes')),
  result('form-prompts-get', 'prompts/get', 'no messages', drop('', 'messages')),
  result('form-prompts-get', 'prompts/get', 'a message of the role system', put('messages.0', 'role', 'system')),
  result('form-prompts-get', 'prompts/get', 'a message without content', drop('messages.0', 'content')),
  result('prompts-5', 'prompts/get', 'an embedded resource whose URI has no scheme', put('messages.*.content.resource', 'uri', 'note')),
  result('prompts-6', 'prompts/get', 'an embedded resource without text and blob', (value) => change(value, 'messages.*.content.resource', (at) => delete at.text && delete at.blob)),
  result('prompts-7', 'prompts/get', 'an embedded resource without a mimeType', drop('messages.*.content.resource', 'mimeType')),
  result('form-complete', 'completion/complete', 'no values', drop('completion', 'values')),
  result('form-complete', 'completion/complete', 'numbers as values', put('completion', 'values', [1, 2])),
  result('form-complete', 'completion/complete', 'a text as hasMore', put('completion', 'hasMore', 'no')),
  result('base-17', 'tools/list', 'a _meta key that ends with a hyphen', put('', '_meta', { 'example.com/key-': 1 })),
  result('base-13', 'tools/list', 'a label that begins with a digit', put('', '_meta', { '1abc.example/key': 1 })),
  result('base-10', 'tools/list', 'labels joined by a colon', put('', '_meta', { 'abc:example/key': 1 })),
  { rule: 'pagination-1', what: 'a first page for a made-up cursor', whole: (json, method, params) => (method === 'tools/list' && params.cursor === 'judge-made-up-cursor' ? { jsonrpc: '2.0', id: json.id, result: { tools: [] } } : undefined) },
  { rule: 'logging-5', what: 'a result for an unknown level', whole: (json, method, params) => (method === 'logging/setLevel' && params.level === 'judge' ? { jsonrpc: '2.0', id: json.id, result: {} } : undefined) },
  { rule: 'lifecycle-22', what: 'a version that nobody has, for one that nobody has', whole: (json, method, params) => (method === 'initialize' && params.protocolVersion === '1999-01-01' ? { ...json, result: { ...json.result, protocolVersion: '1999-01-01' } } : undefined) },
  { rule: 'lifecycle-24', what: 'an old version, for one that nobody has', whole: (json, method, params) => (method === 'initialize' && params.protocolVersion === '1999-01-01' ? { ...json, result: { ...json.result, protocolVersion: '2024-11-05' } } : undefined) },
  { rule: 'base-62', what: 'a response to a notification', after: 'notifications/judge/unknown', extra: '{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"}}' },
  { rule: 'cancellation-15', what: 'an error for the cancellation of an unknown request', after: 'notifications/cancelled', extra: '{"jsonrpc":"2.0","error":{"code":-32602,"message":"no such request"}}' },
  { rule: 'cancellation-13', what: 'an error for the cancellation of a finished request', after: 'notifications/cancelled', extra: '{"jsonrpc":"2.0","error":{"code":-32602,"message":"finished"}}' },
  { rule: 'base-61', what: 'a notification with an id', extraWith: 'tools/list', extra: '{"jsonrpc":"2.0","id":5,"method":"notifications/message","params":{"level":"info","data":"x"}}' },
  { rule: 'form-message', what: 'a log of a level that nobody has', extraWith: 'tools/list', extra: '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"loud","data":"x"}}' },
  { rule: 'form-message', what: 'a log without data', extraWith: 'tools/list', extra: '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}' },
  { rule: 'progress-3', what: 'progress with a token that nobody gave', extraWith: 'tools/list', extra: '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"nobody","progress":1}}' },
  { rule: 'progress-8', what: 'progress with a token that is a fraction', extraWith: 'tools/list', extra: '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1.5,"progress":1}}' },
  { rule: 'form-progress', what: 'progress without a number', extraWith: 'tools/list', extra: '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"nobody","progress":"half"}}' },
  { rule: 'schema-2', what: 'a cancellation without an id', extraWith: 'tools/list', revision: '2025-06-18', extra: '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"x"}}' },
  { rule: 'cancellation-4', what: 'a cancellation of a request that was never sent', extraWith: 'tools/list', extra: '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"never"}}' },
  { rule: 'lifecycle-14', what: 'a notification of another revision', extraWith: 'tools/list', extra: '{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{}}' },
  { rule: 'base-68', what: 'a question with the id null', extraWith: 'tools/list', extra: '{"jsonrpc":"2.0","id":null,"method":"ping"}' },
  { rule: 'base-65', what: 'a question with a fraction as its id', extraWith: 'tools/list', extra: '{"jsonrpc":"2.0","id":1.5,"method":"ping"}' },
  { rule: 'base-66', what: 'two questions with the same id', extraWith: 'prompts/list', extra: '{"jsonrpc":"2.0","id":"same","method":"ping"}\n{"jsonrpc":"2.0","id":"same","method":"roots/list"}' },
  { rule: 'elicitation-14', what: 'a form without a schema', extraWith: 'tools/list', extra: '{"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{"message":"Who?"}}' },
  { rule: 'elicitation-9', what: 'an elicitation without a message', extraWith: 'tools/list', extra: '{"jsonrpc":"2.0","id":"q2","method":"elicitation/create","params":{"requestedSchema":{"type":"object","properties":{}}}}' },
  { rule: 'elicitation-16', what: 'a form that asks for a password', extraWith: 'tools/list', extra: '{"jsonrpc":"2.0","id":"q3","method":"elicitation/create","params":{"message":"Log in","requestedSchema":{"type":"object","properties":{"password":{"type":"string"}}}}}' },
  { rule: 'elicitation-55', what: 'an elicitation by what is no URL', extraWith: 'tools/list', revision: '2025-11-25', extra: '{"jsonrpc":"2.0","id":"q4","method":"elicitation/create","params":{"mode":"url","message":"Pay","url":"no url","elicitationId":"e"}}' },
  { rule: 'sampling-18', what: 'a tool use without its result', extraWith: 'tools/list', revision: '2025-11-25', extra: '{"jsonrpc":"2.0","id":"q6","method":"sampling/createMessage","params":{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"u","name":"x","input":{}}]},{"role":"user","content":{"type":"text","text":"x"}}],"maxTokens":5}}' },
  { rule: 'stdio-4', what: 'a log on stdout', pipe: true, extraWith: 'tools/list', extra: 'listing the tools' },
  { rule: 'stdio-1', what: 'a message on two lines', pipe: true, lines: (line) => (line.includes('"prompts":[') ? [line.slice(0, 20), line.slice(20)] : undefined) },
];

/** Changes that only apply to a server of 2026-07-28. */
export const modern = [
  result('base-72', 'tools/list', 'no resultType', drop('', 'resultType')),
  result('base-75', 'tools/list', 'a resultType of nobody', put('', 'resultType', 'judge/other')),
  result('base-16', 'tools/list', 'no serverInfo in _meta', drop('_meta', 'io.modelcontextprotocol/serverInfo')),
  result('caching-9', 'tools/list', 'no ttlMs', drop('', 'ttlMs')),
  result('caching-9', 'tools/list', 'a cacheScope of nobody', put('', 'cacheScope', 'nobody')),
  result('caching-5', 'resources/list', 'no cacheScope', drop('', 'cacheScope')),
  result('caching-4', 'prompts/list', 'no ttlMs', drop('', 'ttlMs')),
  result('caching-6', 'resources/read', 'no ttlMs', drop('', 'ttlMs')),
  result('caching-8', 'server/discover', 'no cacheScope', drop('', 'cacheScope')),
  result('caching-23', 'tools/list', 'a negative ttlMs', put('', 'ttlMs', -1)),
  result('form-discover', 'server/discover', 'no capabilities', drop('', 'capabilities')),
  error('versioning-7', 'server/discover', 'no supported versions in the error', drop('data', 'supported')),
  error('base-4', 'server/discover', 'another code for a missing field', put('', 'code', -32000)),
  error('base-27', 'judge/unknown', '-32002', put('', 'code', -32002)),
  error('base-28', 'judge/unknown', '-32042', put('', 'code', -32042)),
  error('base-26', 'judge/unknown', 'a code of the reserved range', put('', 'code', -32077)),
  { rule: 'base-3', what: 'a request of a modern server', extraWith: 'tools/list', extra: '{"jsonrpc":"2.0","id":"q","method":"ping"}' },
  { rule: 'logging-10', what: 'a log that nobody wanted', extraWith: 'prompts/list', extra: '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}' },
];

const headers = (response, edit, status = response.status, body = response.body) => {
  const fields = new Headers(response.headers);
  edit(fields);
  return new Response(status === 204 ? null : body, { status, headers: fields });
};
const posts = ({ init }) => (init.method ?? 'POST') === 'POST';
const bodyOf = ({ init }) => String(init.body ?? '');
const header = ({ init }, name) => new Headers(init.headers).get(name);

/** Changes of HTTP, for the official everything server; each gets the response and the request. */
export const http = [
  { rule: 'transports-20', what: 'HTTP 200 for a notification', edit: (response, at) => posts(at) && response.status === 202 && headers(response, () => {}, 200) },
  { rule: 'transports-20', what: 'HTTP 202 with a body', edit: (response, at) => posts(at) && response.status === 202 && headers(response, () => {}, 202, 'Accepted') },
  { rule: 'streamable-http-37', what: 'text/plain', edit: (response, at) => posts(at) && response.status === 200 && bodyOf(at).includes('tools/list') && headers(response, (h) => h.set('content-type', 'text/plain')) },
  { rule: 'transports-9', what: 'an unknown version is taken', edit: (response, at) => header(at, 'mcp-protocol-version') === '1999-01-01' && new Response('{"jsonrpc":"2.0","id":' + JSON.parse(bodyOf(at)).id + ',"result":{}}', { status: 200, headers: { 'content-type': 'application/json' } }) },
  { rule: 'transports-9', what: 'HTTP 500 for an unknown version', edit: (response, at) => header(at, 'mcp-protocol-version') === '1999-01-01' && headers(response, () => {}, 500) },
  { rule: 'transports-33', what: 'HTTP 404 for a missing session', edit: (response, at) => posts(at) && header(at, 'mcp-session-id') === null && !bodyOf(at).includes('initialize') && headers(response, () => {}, 404) },
  { rule: 'transports-35', what: 'HTTP 400 for an ended session', edit: (response, at) => posts(at) && response.status === 404 && headers(response, () => {}, 403) },
  { rule: 'transports-36', what: 'a session id with a space', edit: (response, at) => posts(at) && response.headers.has('mcp-session-id') && headers(response, (h) => h.set('mcp-session-id', 'a session')) },
  { rule: 'transports-37', what: 'a session id that counts', edit: (response, at) => posts(at) && bodyOf(at).includes('"initialize"') && response.headers.has('mcp-session-id') && headers(response, (h) => h.set('mcp-session-id', 'session-0001')) },
  { rule: 'transports-5', what: 'a page of HTML for GET', edit: (response, at) => at.init.method === 'GET' && new Response('<p>Hello', { status: 200, headers: { 'content-type': 'text/html' } }) },
  { rule: 'transports-39', what: 'HTTP 404 for GET', edit: (response, at) => at.init.method === 'GET' && new Response('', { status: 404 }) },
  { rule: 'streamable-http-33', what: 'a foreign origin is let in', edit: (response, at) => header(at, 'origin') !== null && new Response('{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}', { status: 200, headers: { 'content-type': 'application/json' } }) },
  { rule: 'streamable-http-32', what: 'HTTP 500 for a foreign origin', edit: (response, at) => header(at, 'origin') !== null && new Response('', { status: 500 }) },
];
