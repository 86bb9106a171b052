import { isObject } from '../../jsonrpc/internal-exports.ts';
import { versionHeader, versionKey } from '../../protocol/internal-exports.ts';
import { decodeHeader, isMarked, needsEncoding } from './headers.ts';
import type { HiddenRequest } from './port.ts';
import type { Visit } from './visit.ts';

// Checks of every HTTP request of a client.

/** Judges the head of one request. */
export function watchHttp(visit: Visit, request: HiddenRequest): void {
  const { method, headers, body, path } = request;
  if (path.split('?')[0] !== '/mcp') return;
  if (method === 'POST') {
    const accepts = headers['accept'] ?? '';
    visit.check('streamable-http-41', takes(accepts, 'application/json') && takes(accepts, 'text/event-stream'), 'an Accept header with application/json and text/event-stream', request);
    visit.check('streamable-http-43', true, 'POST', request);
    const json = parsed(body);
    if (json !== undefined) visit.check('streamable-http-36', true, 'a POST for each message', request);
    const modern = isObject(json) && isObject(json['params']) && isObject(json['params']['_meta']) && typeof json['params']['_meta'][versionKey] === 'string';
    if (visit.modern && isObject(json) && modern) standardHeaders(visit, request, json);
    if (!visit.modern && !modern && isObject(json) && json['method'] !== 'initialize' && json['method'] !== 'server/discover') legacyHeaders(visit, request);
  } else if (method === 'GET') {
    visit.check('transports-3', takes(headers['accept'] ?? '', 'text/event-stream'), 'an Accept header with text/event-stream', request);
    if (!visit.modern && visit.agreed) legacyHeaders(visit, request);
  } else if (body.trim() !== '') visit.check(['streamable-http-43', 'streamable-http-36'], false, 'a message in a POST', request);
  else if (method === 'DELETE' && !visit.modern && visit.agreed) legacyHeaders(visit, request);
}

const takes = (accept: string, type: string): boolean => accept.split(',').some((one) => one.split(';')[0]?.trim().toLowerCase() === type);

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Judges the headers of requests after the handshake. */
function legacyHeaders(visit: Visit, request: HiddenRequest): void {
  if (!visit.agreed) return;
  const { headers } = request;
  if (versionHeader(visit.revision)) {
    const version = headers['mcp-protocol-version'];
    visit.check('lifecycle-20', version !== undefined, 'MCP-Protocol-Version after the handshake', request);
    if (version !== undefined) visit.check('transports-10', version === visit.revision.version, `MCP-Protocol-Version: ${visit.revision.version}`, request);
  }
  if (visit.session !== undefined) visit.check('transports-32', headers['mcp-session-id'] === visit.session, `Mcp-Session-Id: ${visit.session}`, request);
}

/** 2026-07-28 basic/transports/streamable-http#standard-request-headers. */
function standardHeaders(visit: Visit, request: HiddenRequest, json: Readonly<Record<string, unknown>>): void {
  const { headers } = request;
  const { method, params } = json;
  const version = headers['mcp-protocol-version'];
  visit.check('streamable-http-15', version !== undefined, 'MCP-Protocol-Version on each POST', request);
  const meta = isObject(params) && isObject(params['_meta']) ? params['_meta'] : {};
  if (version !== undefined) visit.check('streamable-http-19', version === meta[versionKey], 'MCP-Protocol-Version with the version of the body', request);
  if (json['id'] === undefined) return;
  const said = headers['mcp-method'];
  visit.check(['streamable-http-6', 'streamable-http-58'], said !== undefined, 'Mcp-Method', request);
  if (said !== undefined) visit.check('streamable-http-8', said === method, 'Mcp-Method with the method of the body', request);
  const mirrored = method === 'tools/call' || method === 'prompts/get' ? 'name' : method === 'resources/read' ? 'uri' : undefined;
  const value = mirrored !== undefined && isObject(params) ? params[mirrored] : undefined;
  if (typeof value !== 'string') return;
  const name = headers['mcp-name'];
  visit.check(['streamable-http-6', 'streamable-http-58'], name !== undefined, 'Mcp-Name', request);
  if (name !== undefined) mirroredValue(visit, request, 'Mcp-Name', name, value, 'streamable-http-57', 'streamable-http-8');
}

/** Judges a header against the value that it mirrors. `unsafe`: the rule for a value that must be encoded; `same`: for any other value. */
export function mirroredValue(visit: Visit, request: HiddenRequest, header: string, came: string, value: string, unsafe: string, same: string): void {
  const need = needsEncoding(value);
  const marked = came.startsWith('=?base64?') && came.endsWith('?=');
  if (isMarked(came) && need !== undefined) visit.check('streamable-http-60', marked, `the marks =?base64?…?= of ${header} in lower case`, request);
  if (need === 'sentinel') visit.check('streamable-http-61', marked && decodeHeader(came) === value, `${header}: the Base64 of ${JSON.stringify(value)}, which has the marks of Base64 itself`, request);
  else if (need === 'unsafe') visit.check([unsafe, 'streamable-http-59'], marked && decodeHeader(came) === value, `${header}: the Base64 of ${JSON.stringify(value)}`, request);
  else visit.check(same, decodeHeader(came) === value, `${header}: ${value}`, request);
}
