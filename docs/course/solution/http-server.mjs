// Any number of clients, over Streamable HTTP: each message is a POST, and its answer the body of the response.
import { createServer } from 'node:http';
import { failure, read } from './messages.mjs';
import { isModern, key, legacy, receive } from './server.mjs';

export function serveHttp(port) {
  createServer(async (request, response) => {
    const send = (status, message) => {
      response.writeHead(status, message && { 'content-type': 'application/json' }).end(message && JSON.stringify(message));
    };
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    if (!isLocal(request.headers.origin)) return send(403);
    if (request.url !== '/mcp') return send(404);
    if (request.method !== 'POST') return send(405);
    if (!/^application\/json\b/.test(request.headers['content-type'])) return send(415);
    const text = Buffer.concat(chunks).toString();
    const { request: asked, refusal } = read(text);
    if (refusal) return send(400, refusal);
    const wrong = asked && isModern(asked) ? mirrorFault(request.headers, asked) : versionFault(request.headers);
    if (wrong) return send(400, failure(asked?.id, ...wrong));
    const connection = { opened: false, http: true, calls: new Map(), notify() {} };
    // 2026-07-28: the end of the connection is the end of the call. Before, it meant nothing.
    response.on('close', () => isModern(asked ?? {}) && connection.calls.forEach((call) => call.abort()));
    const answer = await receive(text, connection);
    send(answer ? statusOf(answer, asked) : 202, answer);
  }).listen(port, '127.0.0.1');
}

/** A page of this machine, or no page at all. */
const isLocal = (origin) => origin === undefined || /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(origin);

function versionFault(headers) {
  const version = headers['mcp-protocol-version'];
  return version === undefined || version === legacy ? undefined : [-32600, `Unsupported protocol version: ${version}`];
}

/** 2026-07-28: the headers say the same as the body, for whoever is on the way and reads them alone. */
function mirrorFault(headers, { method, params }) {
  const wanted = { 'mcp-protocol-version': params._meta[key('protocolVersion')], 'mcp-method': method };
  if (method === 'tools/call') wanted['mcp-name'] = params.name;
  const wrong = Object.keys(wanted).find((name) => decode(headers[name]) !== wanted[name] && wanted[name] !== undefined);
  return wrong && [-32020, `Header mismatch: ${wrong} is ${headers[wrong]}, and the body says ${wanted[wrong]}`];
}

function decode(value) {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(value ?? '') ?? [];
  return base64 === undefined ? value : Buffer.from(base64, 'base64').toString();
}

/** 2026-07-28 has a status for what is wrong with the request itself; what is wrong with a call is a 200 in both. */
function statusOf({ error }, request) {
  if (!error || !isModern(request)) return 200;
  return { [-32601]: 404, [-32022]: 400, [-32602]: /_meta/.test(error.message) ? 400 : 200 }[error.code] ?? 200;
}
