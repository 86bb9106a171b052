// How one request is answered, in both eras. A connection is `{ opened, http, calls, notify(message) }`.
import { failure, isObject, protocolError, read, result } from './messages.mjs';
import { call, list } from './tools.mjs';

export const legacy = '2025-11-25';
export const modern = '2026-07-28';
export const key = (name) => `io.modelcontextprotocol/${name}`;
const info = { name: 'course', version: '1.0.0' };
const capabilities = { tools: {} };
const forever = { ttlMs: 0, cacheScope: 'private' };

/** Whether a request is of the modern era: it says so itself. */
export const isModern = ({ params }) => isObject(params?._meta) && Object.keys(params._meta).some((name) => name.startsWith(key('')));

/** The answer to a text, as it has to be sent; undefined where there is none. */
export async function receive(text, connection) {
  const { request, notification, refusal } = read(text);
  if (notification?.method === 'notifications/cancelled') connection.calls.get(notification.params?.requestId)?.abort();
  return request ? answer(request, connection) : refusal;
}

async function answer(request, connection) {
  const cancelling = new AbortController();
  connection.calls.set(request.id, cancelling);
  const token = request.params?._meta?.progressToken;
  const progress = (done, total) => token !== undefined
    && connection.notify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: token, progress: done, total } });
  const context = { signal: cancelling.signal, progress };
  try {
    const value = isModern(request) ? await serveModern(request, context) : await serveLegacy(request, connection, context);
    return cancelling.signal.aborted ? undefined : result(request.id, value);
  } catch (error) {
    return failure(request.id, error.code ?? -32603, error.message, error.data);
  } finally {
    connection.calls.delete(request.id);
  }
}

async function serveLegacy({ method, params = {} }, connection, context) {
  if (method === 'ping') return {};
  if (method === 'initialize') {
    if (connection.opened) throw protocolError(-32600, 'initialize was already answered');
    connection.opened = !connection.http;
    return { protocolVersion: legacy, capabilities, serverInfo: info };
  }
  const known = method === 'tools/list' || method === 'tools/call';
  if (!known) throw protocolError(-32601, `Method not found: ${method}`);
  if (!connection.opened && !connection.http) throw protocolError(-32600, `${method} before initialize`);
  return method === 'tools/list' ? { tools: list() } : call(params, context);
}

async function serveModern({ method, params }, context) {
  const version = params._meta[key('protocolVersion')];
  const missing = ['protocolVersion', 'clientCapabilities'].find((name) => params._meta[key(name)] === undefined);
  if (missing) throw protocolError(-32602, `params._meta["${key(missing)}"] is missing`);
  if (version !== modern) throw protocolError(-32022, 'Unsupported protocol version', { supported: [modern, legacy], requested: version });
  const complete = { resultType: 'complete', _meta: { [key('serverInfo')]: info } };
  if (method === 'server/discover') return { ...complete, ...forever, supportedVersions: [modern, legacy], capabilities };
  if (method === 'tools/list') return { ...complete, ...forever, tools: list() };
  if (method === 'tools/call') return { ...complete, ...await call(params, context) };
  throw protocolError(-32601, `Method not found: ${method}`);
}
