// Wrong solutions: the reference, broken in one place. Each names the checks that have to fail for it, as chapter and
// place in the chapter; every check is named by one at least.

export interface Break {
  /** What is wrong with the solution then. */
  readonly wrong: string;
  /** Of docs/course/solution. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** `3.2`: the second check of chapter 3. */
  readonly fails: readonly string[];
}

const row = (fails: string, wrong: string, file: string, from: string, to: string): Break =>
  ({ wrong, file: `${file}.mjs`, from, to, fails: fails.split(' ') });

export const breaks: readonly Break[] = [
  row('1.1', 'a ping is answered with more than nothing: with no result', 'server', "if (method === 'ping') return {};", "if (method === 'ping') return null;"),
  row('1.2 9.3', 'an id becomes a text', 'messages', "({ jsonrpc: '2.0', id, result: value })", "({ jsonrpc: '2.0', id: String(id), result: value })"),
  row('1.2', 'characters beyond ASCII are lost', 'stdio', 'const line = (message) => `${JSON.stringify(message)}\\n`;', "const line = (message) => `${JSON.stringify(message).replace(/[^ -~]/g, '?')}\\n`;"),
  row('1.3', 'a piece is taken for a line', 'messages', '(end = rest.indexOf(10)) >= 0', '(end = rest.lastIndexOf(10)) >= 0'),
  row('1.4', 'a character that is cut is lost', 'messages', 'rest = Buffer.concat([rest, chunk]);', 'rest = Buffer.concat([rest, Buffer.from(chunk.toString())]);'),
  row('1.5', 'one answer is lost', 'stdio', '    if (answer) write(answer);', '    if (answer && answer.id !== 20) write(answer);'),
  row('1.5', 'an answer comes twice', 'stdio', '    if (answer) write(answer);', '    if (answer) write(answer), answer.id === 50 && write(answer);'),
  row('1.6 6.6', 'the program outlives its stdin', 'stdio', "process.stdin.on('end', () => ", "process.stdin.on('end', () => setInterval(() => {}, 1000) && "),
  row('1.1', 'a greeting on stdout', 'main', 'else serveStdio();', "else serveStdio(console.log('ready'));"),

  row('2.1 9.5', 'what is not JSON is called an invalid request', 'messages', '-32700', '-32600'),
  row('2.1', 'what is not JSON ends the program', 'messages', 'return { refusal: failure(undefined, -32700, `Not JSON: ${error.message}`) };', 'throw error;'),
  row('2.2', 'JSON that is no object is not seen', 'messages', "if (!isObject(message)) return refuse('A message is an object');", 'if (!isObject(message)) return {};'),
  row('2.2', 'a batch is served', 'messages', '  if (!isObject(message)) return refuse', '  if (Array.isArray(message) && message.length > 0) return read(JSON.stringify(message[0]));\n  if (!isObject(message)) return refuse'),
  row('2.3', 'JSON-RPC 1.0 is served', 'messages', "if (message.jsonrpc !== '2.0')", 'if (false)'),
  row('2.3', 'the id of an invalid request is not given back', 'messages', 'isObject(message) && isId(message.id) ? message.id : undefined', 'undefined'),
  row('2.4 11.9', 'an unknown method is an invalid parameter', 'server', "protocolError(-32601, `Method not found: ${method}`)", "protocolError(-32602, `Method not found: ${method}`)"),
  row('2.5', 'a notification is answered', 'messages', "if (!('id' in message)) return { notification: message };", ''),
  row('2.6', 'a response is refused', 'messages', "if (message.method === undefined && ('result' in message || 'error' in message)) return { response: message };", ''),

  row('3.1', 'no serverInfo', 'server', ', serverInfo: info }', ' }'),
  row('3.2', 'the revision of the client is repeated', 'server', 'return { protocolVersion: legacy,', 'return { protocolVersion: params.protocolVersion,'),
  row('3.3', 'initialized is answered', 'server', 'return request ? answer(request, connection) : refusal;', "return request ? answer(request, connection) : notification ? result(1, {}) : refusal;"),
  row('3.4', 'tools are listed before the handshake', 'server', 'if (!connection.opened && !connection.http) throw', 'if (false) throw'),
  row('3.5', 'a second handshake is served', 'server', 'if (connection.opened) throw', 'if (false) throw'),
  row('3.6 4.6', 'another revision is spoken', 'server', "export const legacy = '2025-11-25';", "export const legacy = '2025-06-18';"),

  row('4.1', 'tools are not declared', 'server', 'const capabilities = { tools: {} };', 'const capabilities = {};'),
  row('4.2', 'no schemas', 'tools', 'map(([name, { description, inputSchema }]) => ({ name, description, inputSchema }))', 'map(([name, { description }]) => ({ name, description }))'),
  row('4.2', 'nothing is required', 'tools', ', required: names });', ' });'),
  row('4.3 4.6 9.11 11.11', 'add multiplies', 'tools', 'String(a + b)', 'String(a * b)'),
  row('4.3', 'a number instead of a text', 'tools', 'String(a + b)', 'a + b'),
  row('4.4', 'arguments are demanded', 'tools', 'arguments: args = {} }', 'arguments: args }'),
  row('4.5', 'prompts are there, and empty', 'server', "if (method === 'ping') return {};", "if (method === 'ping') return {};\n  if (method === 'prompts/list') return { prompts: [] };"),

  row('5.1', 'isError is forgotten', 'tools', 'text: error.message }], isError: true };', 'text: error.message }] };'),
  row('5.1', 'a failure is an error of the protocol', 'tools', 'if (error.code !== undefined) throw error;', 'throw protocolError(-32603, error.message);'),
  row('5.2', 'an unknown tool is a result', 'tools', "if (!tool) fail(`Unknown tool: ${name}`, -32602);", "if (!tool) return { content: [{ type: 'text', text: 'unknown' }], isError: true };"),
  row('5.2', 'names are looked up in an object', 'tools', 'const tool = tools.get(name);', "const tool = Object.fromEntries(tools)[name];"),
  row('5.3', 'types are not looked at', 'tools', 'typeof args[name] !== properties[name].type', 'false'),
  row('5.3', 'missing arguments are not looked for', 'tools', 'if (missing !== undefined) return', 'if (false) return'),
  row('5.3', 'arguments that do not fit are an error of the protocol', 'tools', 'if (why) fail(why);', 'if (why) fail(why, -32602);'),
  row('5.4', 'arguments may be a list', 'tools', "if (!isObject(args)) fail('params.arguments must be an object', -32602);", ''),
  row('5.5', 'the data of an error is left out', 'messages', ', ...data && { data } }', ' }'),

  row('6.1', 'the token is a text', 'server', 'progressToken: token, progress: done', 'progressToken: String(token), progress: done'),
  row('6.1', 'progress comes after the answer', 'server', '&& connection.notify(', '&& setTimeout(connection.notify, 100, '),
  row('6.2', 'progress without a token', 'server', 'token !== undefined\n    && connection', 'true\n    && connection'),
  row('6.3 6.4', 'one call after the other', 'stdio', '  onLines(process.stdin, async (text) => {\n    const answer = await receive(text, connection);\n    if (answer) write(answer);\n  });',
    '  let turn = Promise.resolve();\n  onLines(process.stdin, (text) => (turn = turn.then(async () => {\n    const answer = await receive(text, connection);\n    if (answer) write(answer);\n  })));'),
  row('6.4', 'a cancelled call is answered', 'server', 'return cancelling.signal.aborted ? undefined : result(request.id, value);', 'return result(request.id, value);'),
  row('6.4', 'a cancelled call goes on', 'server', '?.abort();', ';'),
  row('6.5', 'a cancellation of nothing ends the program', 'server', 'connection.calls.get(notification.params?.requestId)?.abort();', 'connection.calls.get(notification.params.requestId).abort();'),

  row('7.1', 'the handshake is not confirmed', 'client', "  await link.notify({ jsonrpc: '2.0', method: 'notifications/initialized' });\n", ''),
  row('7.1', 'no clientInfo', 'client', ', clientInfo: info }', ' }'),
  row('7.2', 'the text is not printed', 'client', '(isError ? console.error : console.log)', 'void '),
  row('7.2 7.8', 'the arguments are texts', 'client', '{ a: 2, b: 3 }', "{ a: '2', b: '3' }"),
  row('7.3', 'the server is left alone', 'stdio', 'close: () => (child.stdin.end(), gone),', 'close: () => gone,'),
  row('7.4', 'one page is enough', 'client', 'cursor = page.nextCursor;', ''),
  row('7.4', 'an empty cursor ends the list', 'client', '} while (cursor !== undefined);', '} while (cursor);'),
  row('7.5', 'the first tool is called, whatever it is', 'client', 'if (!tool) return 0;', "if (!tool) return (await request('tools/call', { name: 'add' }), 0);"),
  row('7.6', 'any revision is fine', 'client', 'if (protocolVersion !== legacy) throw', 'if (false) throw'),
  row('7.7', 'a failure is a success', 'client', 'return isError ? 1 : 0;', 'return 0;'),
  row('7.7', 'an error of the protocol is a success', 'client', 'console.error(error.message);\n    return 1;', 'console.error(error.message);\n    return 0;'),
  row('7.2 12.4', 'ids are not numbered', 'client', 'id: ++id,', 'id: 1,'),

  row('8.1', 'questions are not declared', 'client', 'const capabilities = { elicitation: {} };', 'const capabilities = {};'),
  row('8.2', 'a ping is not answered', 'stdio', 'if (request) write(link.answer(request));', "if (request && request.method !== 'ping') write(link.answer(request));"),
  row('8.3', 'a request with the id of a call is taken for its answer', 'stdio', 'if (response) pending.get(response.id)?.resolve(response);', 'if (response || request) pending.get((response ?? request).id)?.resolve({ result: {} });'),
  row('8.3', 'a default that is false is left out', 'client', 'filter(([, field]) => field.default !== undefined)', 'filter(([, field]) => field.default)'),
  row('8.4', 'what is required is left out', 'client', "if (required.some((name) => properties[name]?.default === undefined)) return result(id, { action: 'decline' });", ''),
  row('8.5', 'unknown requests are answered with nothing', 'client', "return failure(id, -32601, `Method not found: ${method}`);", 'return result(id, {});'),
  row('8.6', 'any response is the answer', 'stdio', 'pending.get(response.id)?.resolve(response)', '[...pending.values()].at(-1)?.resolve(response)'),
  row('8.7 10.7 12.4', 'every question is declined', 'client', "return result(id, { action: 'accept', content });", "return result(id, { action: 'decline' });"),

  row('9.1', 'the revision is missing', 'server', 'return { protocolVersion: legacy, capabilities,', 'return { capabilities,'),
  row('9.1', 'the type of the answer is missing', 'http-server', "message && { 'content-type': 'application/json' }", '{}'),
  row('9.2', 'a notification is answered with 200', 'http-server', ': 202, answer);', ': 200, answer);'),
  row('9.2', 'a notification has a body', 'http-server', ': 202, answer);', ': 202, answer ?? {});'),
  row('9.4', 'a GET is answered as if it were a POST', 'http-server', "if (request.method !== 'POST') return send(405);", "if (request.method !== 'POST') return send(500);"),
  row('9.5', 'what is not JSON is answered with 200', 'http-server', 'if (refusal) return send(400, refusal);', 'if (refusal) return send(200, refusal);'),
  row('9.6', 'every path is served', 'http-server', "if (request.url !== '/mcp') return send(404);", ''),
  row('9.7', 'every page is let in', 'http-server', 'if (!isLocal(request.headers.origin)) return send(403);', ''),
  row('9.7', 'a name that begins with localhost is let in', 'http-server', '(:\\d+)?$/.test(origin)', '/.test(origin)'),
  row('9.8', 'the revision of the header is not looked at', 'http-server', 'return version === undefined || version === legacy ? undefined', 'return true ? undefined'),
  row('9.9', 'every machine is served', 'http-server', "listen(port, '127.0.0.1')", 'listen(port)'),
  row('9.10', 'one request after the other', 'tools', "await new Promise((resolve) => signal.addEventListener('abort', resolve));", 'for (;;);'),

  row('10.1', 'streams are not taken', 'http-link', ', text/event-stream', ''),
  row('10.2', 'the session is forgotten', 'http-link', "...session && { 'mcp-session-id': session },", ''),
  row('10.2', 'the revision is not in the header', 'client', '  link.agreed(legacy);\n', ''),
  row('10.3', 'the session is not ended', 'http-link', 'if (session) await fetch', 'if (false) await fetch'),
  row('10.4', 'a session is made up', 'http-link', '  let session;', "  let session = 'mine';"),
  row('10.5', 'an event has one line of data', 'http-link', ".join('\\n');\n", '.at(0) ?? "";\n'),
  row('10.5', 'CR is not known', 'http-link', ".replaceAll('\\r', '')", ''),
  row('10.6', 'the end of the stream is waited for', 'http-link', 'for await (const text of body.pipeThrough(new TextDecoderStream())) {', 'for (const text of [await new Response(body).text()]) {'),
  row('10.7', 'questions in the stream are not answered', 'http-link', 'if (request) await link.notify(link.answer(request));', ''),
  row('10.8', 'every status is a success', 'client', 'console.error(error.message);\n    return 1;', 'return 0;'),
  row('10.9', 'a stream is not read', 'http-link', "startsWith('text/event-stream')", "startsWith('text/plain')"),

  row('11.1', 'the result does not say that it is complete', 'server', "resultType: 'complete', ", ''),
  row('11.1', 'a list does not say how long it may be kept', 'server', "if (method === 'tools/list') return { ...complete, ...forever,", "if (method === 'tools/list') return { ...complete,"),
  row('11.2', 'there is nothing to discover', 'server', "if (method === 'server/discover')", "if (method === 'server/none')"),
  row('11.3', 'the revisions that are spoken are not named', 'server', ", { supported: [modern, legacy], requested: version }", ''),
  row('11.3 11.9', 'any revision is served', 'server', 'if (version !== modern) throw', 'if (false) throw'),
  row('11.4 11.9', 'what is missing in _meta is not missed', 'server', 'if (missing) throw', 'if (false) throw'),
  row('11.5', 'ping is still there', 'server', "if (method === 'server/discover') return", "if (method === 'ping') return complete;\n  if (method === 'server/discover') return"),
  row('11.6', 'one modern request opens the session', 'server', "const value = isModern(request) ?", 'if (isModern(request)) connection.opened = true;\n    const value = isModern(request) ?'),
  row('11.6', 'an old result says that it is complete', 'server', "return method === 'tools/list' ? { tools: list() }", "return method === 'tools/list' ? { resultType: 'complete', tools: list() }"),
  row('11.7', 'modern requests are refused over HTTP', 'http-server', 'const wrong = asked && isModern(asked) ? mirrorFault(request.headers, asked)', "const wrong = asked && isModern(asked) ? [-32600, 'no']"),
  row('11.8', 'headers are not compared', 'http-server', 'const wrong = asked && isModern(asked) ? mirrorFault(request.headers, asked)', 'const wrong = asked && isModern(asked) ? undefined'),
  row('11.8', 'the name is not compared', 'http-server', "if (method === 'tools/call') wanted['mcp-name'] = params.name;", ''),
  row('11.8', 'base64 is not read', 'http-server', 'return base64 === undefined ? value', 'return true ? value'),
  row('11.9', 'every modern answer is a 200', 'http-server', 'if (!error || !isModern(request)) return 200;', 'return 200;'),

  row('11.10', 'a call outlives its connection', 'http-server', "response.on('close', ", "response.on('never', "),

  row('12.1', 'the handshake comes first', 'client', "if (found?.supportedVersions?.includes(modern)) return", 'if (false) return'),
  row('12.2 12.7', 'an error of any kind ends the client', 'client', 'if (error.code === undefined || [-32020, -32021, -32022].includes(error.code)) throw error;', 'throw error;'),
  row('12.2', 'one code is taken for the sign of an old server', 'client', '[-32020, -32021, -32022].includes(error.code)', 'error.code !== -32601'),
  row('12.3', 'a modern server is taken for an old one', 'client', '[-32020, -32021, -32022].includes(error.code)', 'false'),
  row('12.4', 'the state is not given back', 'client', ', ...requestState !== undefined && { requestState } }', ' }'),
  row('12.4', 'one round is enough', 'client', "while (value.resultType === 'input_required')", "if (value.resultType === 'input_required')"),
  row('12.5', 'any type of result is complete', 'client', "if (![undefined, 'complete'].includes(value.resultType)) throw", 'if (false) throw'),
  row('12.6', 'the method is not mirrored', 'http-link', "...message.params?._meta && { 'mcp-method': message.method },", ''),
  row('12.6', 'the revision is not mirrored', 'client', '  link.agreed(modern);\n', ''),
  row('12.7', 'a body that is no message ends the client', 'http-link', " || message.method === 'server/discover') return answered ?? {};", ') return answered;'),
  row('12.8', 'the capabilities are left out', 'client', ', [key(\'clientCapabilities\')]: capabilities };', ' };'),
];
