import { isObject } from '../../jsonrpc/internal-exports.ts';
import type { Revision } from '../../protocol/index.ts';
import { cacheHints, capabilitiesKey, clientInfoKey, resultType, serverInfoKey, subscriptionKey, versionKey } from '../../protocol/internal-exports.ts';
import type { HiddenRequest } from './port.ts';
import type { HiddenOffer, Play } from './scene.ts';
import type { SeenMembers, Received } from './visit.ts';

// The plain hidden server answers everything that a scene does not answer itself, and keeps every rule of a server.

export const hiddenInfo = { name: 'hidden-server', version: '1.0.0' } as const;
const modernVersion = '2026-07-28';

const numbers = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] };
export const addTool: SeenMembers = { name: 'add_numbers', description: 'Adds two numbers', inputSchema: numbers };
export const echoTool: SeenMembers = { name: 'echo', description: 'Says a text again', inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } };

/** The offer of the plain server. */
export function plainOffer(revision: Revision): HiddenOffer {
  return {
    capabilities: { tools: {}, resources: {}, prompts: {}, ...revision.place > 0 && { completions: {} } },
    tools: [addTool, echoTool],
    resources: [{ uri: 'hidden://note', name: 'note', mimeType: 'text/plain' }],
    templates: [{ uriTemplate: 'hidden://city/{name}', name: 'city' }],
    prompts: [{ name: 'greet', description: 'Greets somebody', arguments: [{ name: 'who', description: 'Whom to greet', required: true }] }],
  };
}

const lists: Readonly<Record<string, readonly [member: string, offered: Exclude<keyof HiddenOffer, 'capabilities'>, capability: string]>> = {
  'tools/list': ['tools', 'tools', 'tools'], 'resources/list': ['resources', 'resources', 'resources'],
  'resources/templates/list': ['resourceTemplates', 'templates', 'resources'], 'prompts/list': ['prompts', 'prompts', 'prompts'],
};

/** Adds the members that the revision requires to a result. */
export function dressed(revision: Revision, method: string, result: SeenMembers): SeenMembers {
  if (!resultType(revision)) return result;
  const cached = cacheHints(revision) && (method === 'server/discover' || method.endsWith('/list') || method === 'resources/read');
  return { resultType: 'complete', ...cached && { ttlMs: 0, cacheScope: 'private' }, ...result, _meta: { [serverInfoKey]: hiddenInfo, ...isObject(result['_meta']) && result['_meta'] } };
}

/** Sends a result in the form of the revision. */
export function give({ visit }: Play, to: Received, result: SeenMembers): void {
  visit.reply(to, { result: dressed(visit.revision, to.method ?? '', result) });
}

/** Sends an error, over HTTP with the status that the revision requires. */
export function refuse({ visit }: Play, to: Received, code: number, message: string, data?: unknown): void {
  const status = !visit.modern ? 200 : code === -32601 ? 404 : code <= -32020 && code >= -32099 ? 400 : 200;
  visit.reply(to, { error: { code, message, ...data !== undefined && { data } } }, { status });
}

/** A tool result with one text. */
export const textResult = (text: string): SeenMembers => ({ content: [{ type: 'text', text }] });

/** Answers one message as the plain server. */
export function serve(play: Play, message: Received): void {
  const { visit } = play;
  const { method, id, http, json } = message;
  if (!isObject(json)) {
    if (http && !http.body.trim()) visit.respond(http, 400);
    else if (http && (!message.batch || nothingAsked(play, message))) visit.respond(http, 400, { 'content-type': 'application/json' }, JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } }));
    return;
  }
  if (method === undefined || id === undefined) {
    // A notification or a response.
    if (http && (!message.batch || nothingAsked(play, message))) visit.respond(http, 202);
    return;
  }
  if (isModern(message) !== visit.modern || (visit.modern ? method === 'initialize' : method === 'server/discover')) return otherEra(play, message);
  request(play, message, method);
}

/** Whether this is the first item of a batch without requests. 2025-03-26 basic/transports#sending-messages-to-the-server. */
function nothingAsked({ visit }: Play, message: Received): boolean {
  const { http } = message;
  if (http === undefined || visit.messages.find((one) => one.http === http) !== message) return false;
  const items: unknown = JSON.parse(http.body);
  return Array.isArray(items) && !items.some((one) => isObject(one) && typeof one['method'] === 'string' && one['id'] !== undefined);
}

/** Whether a request is of the era without handshake: its `_meta` has a key of that era. */
export function isModern({ params }: Received): boolean {
  const meta = params['_meta'];
  return isObject(meta) && [versionKey, capabilitiesKey, clientInfoKey].some((key) => meta[key] !== undefined);
}

/** Answers a request of an era that this server does not speak. */
function otherEra(play: Play, message: Received): void {
  const { visit } = play;
  if (visit.modern) {
    const asked = message.params['protocolVersion'];
    refuse(play, message, -32022, 'Unsupported protocol version', { supported: [visit.revision.version], requested: typeof asked === 'string' ? asked : '2025-11-25' });
  } else visit.reply(message, { error: { code: -32601, message: `Method not found: ${message.method}` } }, { status: message.http && isModern(message) ? 400 : 200 });
}

function request(play: Play, message: Received, method: string): void {
  const { visit, offer } = play;
  const { revision } = visit;
  if (visit.modern) {
    const meta = message.params['_meta'] as SeenMembers;
    const version = meta[versionKey];
    // The watcher judges a missing version. The request is served, so that the client shows the rest.
    if (version !== undefined && version !== revision.version) return refuse(play, message, -32022, 'Unsupported protocol version', { supported: [revision.version], requested: version });
  }
  const list = lists[method];
  if (list) {
    const [member, offered, capability] = list;
    return offer.capabilities[capability] === undefined ? refuse(play, message, -32601, `Method not found: ${method}`) : give(play, message, { [member]: offer[offered] });
  }
  switch (method) {
    case 'initialize': return welcome(play, message);
    case 'server/discover': return give(play, message, { supportedVersions: [modernVersion], capabilities: offer.capabilities });
    case 'ping': return give(play, message, {});
    case 'tools/call': return give(play, message, textResult('five'));
    case 'resources/read': return give(play, message, { contents: [{ uri: message.params['uri'], mimeType: 'text/plain', text: 'a note' }] });
    case 'prompts/get': return give(play, message, { messages: [{ role: 'user', content: { type: 'text', text: 'Say hello.' } }] });
    case 'completion/complete': return give(play, message, { completion: { values: [], hasMore: false } });
    case 'subscriptions/listen': return listen(play, message);
    default: return refuse(play, message, -32601, `Method not found: ${method}`);
  }
}

/** Answers the handshake. */
export function welcome(play: Play, message: Received, more: SeenMembers = {}): void {
  const { visit, offer } = play;
  const session = visit.way === 'http' && visit.session !== undefined && visit.revision.place > 0 ? { 'mcp-session-id': visit.session } : {};
  visit.agreed = true;
  visit.offered = offer.capabilities;
  visit.reply(message, { result: { protocolVersion: visit.revision.version, capabilities: offer.capabilities, serverInfo: hiddenInfo, ...more } }, { headers: session });
}

/** Acknowledges a subscription without any notifications, and sends nothing more. It stays until the client leaves. */
function listen(play: Play, message: Received): void {
  const { visit } = play;
  visit.say({ method: 'notifications/subscriptions/acknowledged', params: { notifications: {}, _meta: { [subscriptionKey]: message.id } } }, message);
}

/** Answers HTTP requests other than POST, as the plain server. */
export function serveHttp(play: Play, request: HiddenRequest): boolean {
  const { visit } = play;
  const { method } = request;
  if (method === 'POST') return false;
  if (request.path.split('?')[0] !== '/mcp') visit.respond(request, 404);
  else if (method === 'DELETE' && !visit.modern && visit.session !== undefined) visit.respond(request, 200);
  else visit.respond(request, 405, { allow: 'POST' });
  return true;
}
