import { mediaType } from '../transport/internal-exports.ts';
import type { EventTraceEntry, HttpTraceEntry } from '../transport/internal-exports.ts';
import type { Explanation } from './explain.ts';
import { locate } from './locate.ts';
import type { Where } from './phrases.ts';
import { truncate, visible } from './safe-text.ts';
import { name } from './words.ts';

// Explains the parts of HTTP that are not messages: heads of requests and responses, and events without a message.

/** The largest number of columns of a header field or of an event's data. */
const columns = 160;

/** Header fields that matter for MCP, authorization or routing. */
const telling = /^(accept|allow|authorization|content-type|dpop|dpop-nonce|last-event-id|location|mcp-.*|origin|retry-after|www-authenticate|access-control-allow-origin)$/;

/** The section for each kind of exchange; 2024-11-05 has another transport. */
const posts: Where = {
  '2024-11-05': 'basic/transports#http-with-sse', '2025-03-26': 'basic/transports#sending-messages-to-the-server',
  '2026-07-28': 'basic/transports/streamable-http#sending-messages',
};
const answers: Where = { ...posts, '2026-07-28': 'basic/transports/streamable-http#receiving-messages' };
const listens: Where = {
  '2024-11-05': 'basic/transports#http-with-sse', '2025-03-26': 'basic/transports#listening-for-messages-from-the-server',
  '2026-07-28': 'basic/transports/streamable-http#earlier-streamable-http-revisions',
};
const resumes: Where = { '2025-03-26': 'basic/transports#resumability-and-redelivery', '2026-07-28': '' };
const sessions: Where = { '2025-03-26': 'basic/transports#session-management', '2026-07-28': '' };
const pairs: Where = { '2024-11-05': 'basic/transports#http-with-sse', '2025-03-26': 'basic/transports#backwards-compatibility', '2026-07-28': 'basic/transports/streamable-http#httpsse-transport-2024-11-05' };
const tokens: Where = { '2025-03-26': 'basic/authorization#error-handling', '2026-07-28': 'basic/authorization/index#error-handling' };
const origins: Where = { '2024-11-05': 'basic/transports#security-warning', '2026-07-28': 'basic/transports/streamable-http#security-endpoint' };

/**
 * Explains in one plain line the head of an HTTP request or response, or an event without a message, with its section of the
 * specification. Never throws. `revision`: the agreed one, if any.
 */
export function explainHttp(entry: HttpTraceEntry | EventTraceEntry, revision?: string): Explanation {
  const [what, where] = entry.kind === 'event' ? event(entry) : entry.status === undefined ? request(entry) : response(entry, entry.status);
  return { what, section: locate(where, entry.kind === 'http' ? entry.headers['mcp-protocol-version'] ?? revision ?? guess(entry) : revision).section };
}

/** Without the header of 2026-07-28, a request is from an earlier revision, and so is a session: take 2025-11-25 for both. */
const guess = ({ status, headers }: HttpTraceEntry): string | undefined =>
  (status === undefined || headers['mcp-session-id'] !== undefined ? '2025-11-25' : undefined);

/** The head or the event as lines to print, the start line first; safe whatever the peer sent. Only the header fields that matter. */
export function httpLines(entry: HttpTraceEntry | EventTraceEntry): string[] {
  if (entry.kind === 'event') {
    const { event: { event: type, id, retry }, data } = entry;
    const fields = [type !== undefined && `event: ${line(type)}`, id !== undefined && `id: ${line(id)}`, retry !== undefined && `retry: ${retry}`, `data: ${line(data)}`];
    return ['event', ...fields.filter((one) => one !== false)];
  }
  const { method, path, status, headers } = entry;
  const first = status === undefined ? `${name(method)} ${line(path)}` : `${status} to ${name(method)} ${line(path)}`;
  return [first, ...Object.entries(headers).filter(([field]) => telling.test(field)).map(([field, value]) => `${line(field)}: ${line(value)}`)];
}

const line = (text: string): string => truncate(visible(text.slice(0, 1000)), columns);

function request({ method, headers }: HttpTraceEntry): [string, Where] {
  const session = headers['mcp-session-id'] === undefined ? '' : ', in its session';
  if (method === 'POST') {
    const about = headers['mcp-method'] === undefined ? '' : `: ${name(headers['mcp-method'])}${headers['mcp-name'] === undefined ? '' : ` ${name(headers['mcp-name'])}`}`;
    return [`The client posts a message${session}${about}`, posts];
  }
  if (method === 'GET') {
    const last = headers['last-event-id'];
    if (last !== undefined) return [`The client resumes a stream after event ${name(last)}${session}`, resumes];
    return [`The client opens a stream for messages of the server${session}`, listens];
  }
  if (method === 'DELETE') return ['The client ends its session', sessions];
  if (method === 'OPTIONS') return ['A browser asks whether the page may send its request', origins];
  return [`The client sends ${name(method)}, which MCP does not use`, posts];
}

function response({ method, headers }: HttpTraceEntry, status: number): [string, Where] {
  const type = mediaType(headers['content-type']);
  if (status === 401) return ['The server wants credentials, or other ones', tokens];
  if (status === 403) return ['The server refuses: insufficient credentials, or the origin is not allowed', headers['www-authenticate'] === undefined ? origins : tokens];
  if (status === 404) return ['The server does not know this session, or this path', sessions];
  if (status === 405) return method === 'GET' ? ['The server has no stream here', listens] : [`The server does not take ${name(method)} here`, method === 'DELETE' ? sessions : posts];
  if (status >= 300 && status < 400) return [`The server sends the client elsewhere: ${name(headers['location'], columns)}`, posts];
  if (status >= 500) return ['The server, or a proxy before it, has failed', answers];
  if (status >= 400) return ['The server refuses the request', answers];
  const begins = headers['mcp-session-id'] !== undefined && method === 'POST' ? ', in a session' : '';
  if (type === 'text/event-stream') return [method === 'GET' ? 'The server opens the stream' : `The server answers with a stream of events${begins}`, method === 'GET' ? listens : answers];
  if (status === 202 || status === 204) return [method === 'DELETE' ? 'The session is ended' : 'The server has accepted it; it needs no response', method === 'DELETE' ? sessions : answers];
  if (type === 'application/json') return [`The server answers with one message${begins}`, answers];
  if (method === 'DELETE') return ['The session is ended', sessions];
  return [`The server answers with ${type === '' ? 'no content type' : name(type)}, which is not a message`, answers];
}

function event({ event: { event: type, id, retry }, data }: EventTraceEntry): [string, Where] {
  if (type === 'endpoint') return [`The server names the path that messages are posted to: ${name(data, columns)}`, pairs];
  if (type !== undefined) return [`An event ${name(type)}, which MCP does not use`, answers];
  const wait = retry === undefined ? '' : `, and waits ${retry} ms before it reconnects`;
  return id === undefined ? [`An event without a message${wait}`, resumes] : [`From now on the client can resume the stream, by the id ${name(id)}${wait}`, resumes];
}
