import { isObject } from '../../jsonrpc/internal-exports.ts';
import { batching, capabilitiesKey, clientInfoKey, hasMethod, isMetaKey, methods, versionKey } from '../../protocol/internal-exports.ts';
import { isModern } from './hidden-server.ts';
import type { SeenMembers, Received, Visit } from './visit.ts';

// Checks of every message of a client, in every scene.

const isId = (id: unknown): boolean => typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id));
const label = /^[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
const keyName = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$/;

/** Judges one message of the client. */
export function watchMessage(visit: Visit, message: Received): void {
  const { json, text, http } = message;
  if (json === undefined) {
    if (text.trim() === '') return;
    if (http) {
      visit.check('base-59', false, 'a message of JSON-RPC 2.0', message);
      if (severalIn(text)) visit.check(visit.modern ? 'streamable-http-40' : 'transports-23', false, 'one message in a body', message);
    } else loose(visit, message);
    return;
  }
  endLoose(visit);
  visit.check('base-60', true, 'text in UTF-8', message);
  if (visit.way === 'pipe' && !message.batch) visit.check(['stdio-1', 'stdio-3'], isObject(json), 'one message a line', message);
  if (message.batch && message.place === visit.messages.find((one) => one.text === text)?.place) batch(visit, message);
  if (!isObject(json)) {
    if (http) visit.check('base-59', false, 'an object of JSON-RPC 2.0', message);
    return;
  }
  if (http && visit.modern && !message.batch && isModern(message)) visit.check('streamable-http-40', true, 'one request or notification', message);
  const kind = kindOf(json);
  visit.check('base-59', json['jsonrpc'] === '2.0' && kind !== undefined, '"jsonrpc": "2.0" in a request, a notification or a response', message);
  // A client of both eras may probe with a request of the other era. The judged revision has no rules for it.
  const foreign = kind === 'request' && isModern(message) !== visit.modern && !(visit.modern && !isModern(message) && visit.messages.some(isModern));
  if (kind === 'request' && !foreign) request(visit, message, json);
  else if (kind === 'notification') notification(visit, message, json);
  else if (kind === 'response') response(visit, message, json);
  if (!foreign) metaKeys(visit, message, json);
}

/** Whether a text consists of several JSON texts in sequence. */
function severalIn(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(`[${text.trim().replaceAll(/\}\s*\{/g, '},{')}]`));
  } catch {
    return false;
  }
}

/** Most lines to join into one message. */
const mostLoose = 200;

/** Takes a line that is not JSON: part of a message of several lines, or something else. */
function loose(visit: Visit, message: Received): void {
  visit.loose.push(message);
  const whole = visit.loose.map(({ text }) => text).join('\n');
  try {
    JSON.parse(whole);
  } catch {
    if (visit.loose.length > mostLoose) endLoose(visit);
    return;
  }
  visit.loose.length = 0;
  visit.check('stdio-1', false, 'a message on one line', whole);
}

/** Reports the lines that never became a message. */
export function endLoose(visit: Visit): void {
  for (const one of visit.loose.splice(0)) visit.check('stdio-3', false, 'nothing but messages on the input of the server', one);
}

function kindOf(json: SeenMembers): 'request' | 'notification' | 'response' | undefined {
  if (typeof json['method'] === 'string') return 'id' in json && !json['method'].startsWith('notifications/') ? 'request' : 'notification';
  return 'result' in json || 'error' in json ? 'response' : undefined;
}

function batch(visit: Visit, message: Received): void {
  if (message.http) visit.check(visit.modern ? 'streamable-http-40' : 'transports-23', batching(visit.revision), 'one message in a body', message);
  else if (!batching(visit.revision)) visit.check('lifecycle-14', false, `a single message: ${visit.revision.version} has no batches`, message);
  if (Array.isArray(message.json)) return;
  visit.check('lifecycle-10', !visit.messages.some(({ text, method }) => text === message.text && method === 'initialize'), 'initialize outside of a batch', message);
}

function request(visit: Visit, message: Received, json: SeenMembers): void {
  const { id, method } = message;
  visit.check('base-68', id !== null, 'an id that is not null', message);
  if (id !== null) visit.check('base-65', isId(id), 'an id that is a string or an integer', message);
  const since = visit.modern ? 0 : visit.sessionStart();
  const earlier = visit.messages.filter((one) => one !== message && one.place >= since && one.place < message.place && isRequest(one) && one.id === id);
  visit.check('base-66', earlier.length === 0, 'an id that was not used before', message);
  visit.check('base-67', !earlier.some(({ answered }) => !answered), 'an id that differs from those of requests in flight', message);
  if ('params' in json && !isObject(json['params'])) visit.check('base-59', false, 'params that are an object', message);
  progressToken(visit, message);
  if (method === 'tools/call' && !visit.modern && visit.revision.place === 3 && visit.agreed && !takesTasks(visit)) visit.check('tasks-12', message.params['task'] === undefined, 'a plain call: the server has not declared tasks', message);
  if (visit.modern) modernRequest(visit, message);
  else if (method === 'initialize') handshake(visit, message);
  else {
    const opened = visit.messages.some((one) => one.method === 'initialize' && one.place < message.place);
    if (method !== 'ping') visit.check(['lifecycle-9', 'base-1'], opened, 'initialize before any other request', message);
    if (opened && method !== 'ping') visit.check('lifecycle-8', visit.agreed, 'nothing but pings before the answer to initialize', message);
    if (visit.agreed && method !== 'ping') {
      if (Object.hasOwn(methods, method ?? '')) visit.check('lifecycle-14', hasMethod(visit.revision, method ?? ''), `a method that ${visit.revision.version} has`, message);
      visit.check('lifecycle-25', visit.messages.slice(since).some((one) => one.method === 'notifications/initialized'), 'notifications/initialized before other requests', message);
    }
  }
}

export const isRequest = ({ method, id, json }: Received): boolean =>
  method !== undefined && !method.startsWith('notifications/') && (id !== undefined || (isObject(json) && 'id' in json));

/** Whether the hidden server accepts calls as tasks. */
function takesTasks({ offered }: Visit): boolean {
  return offered['tasks'] !== undefined;
}

function handshake(visit: Visit, message: Received): void {
  const { params } = message;
  const { protocolVersion, capabilities, clientInfo } = params;
  visit.check('lifecycle-7', typeof protocolVersion === 'string', 'protocolVersion in initialize', message);
  visit.check('lifecycle-5', isObject(capabilities), 'capabilities in initialize', message);
  visit.check('lifecycle-6', isObject(clientInfo) && typeof clientInfo['name'] === 'string' && typeof clientInfo['version'] === 'string', 'clientInfo with name and version in initialize', message);
  declarations(visit, message, capabilities);
}

function modernRequest(visit: Visit, message: Received): void {
  const meta = isObject(message.params['_meta']) ? message.params['_meta'] : {};
  visit.check(['base-7', 'base-2'], typeof meta[versionKey] === 'string' && isObject(meta[capabilitiesKey]), `_meta with ${versionKey} and ${capabilitiesKey}`, message);
  const info = meta[clientInfoKey];
  visit.check('base-8', isObject(info) && typeof info['name'] === 'string' && typeof info['version'] === 'string', `_meta with ${clientInfoKey}`, message);
  declarations(visit, message, meta[capabilitiesKey]);
}

/** Judges declared capabilities. An empty `elicitation` means forms: 2025-11-25 client/elicitation#capabilities. */
function declarations(visit: Visit, message: Received, capabilities: unknown): void {
  if (!isObject(capabilities)) return;
  const { elicitation, extensions } = capabilities;
  if (isObject(elicitation)) {
    const modes = Object.keys(elicitation);
    visit.check('elicitation-1', modes.length === 0 || 'form' in elicitation || 'url' in elicitation, 'a mode in the capability elicitation', message);
  }
  if (isObject(extensions)) {
    visit.check('versioning-4', Object.keys(extensions).every((id) => isMetaKey(id) && id.includes('/')), 'ids of extensions with a prefix', message);
  }
}

function progressToken(visit: Visit, message: Received): void {
  const token = tokenOf(message);
  if (token === undefined) return;
  visit.check('progress-8', isId(token), 'a progressToken that is a string or an integer', message);
  const same = visit.messages.some((one) => one !== message && one.place < message.place && !one.answered && isRequest(one) && tokenOf(one) === token);
  visit.check('progress-9', !same, 'a progressToken that differs from those of requests in flight', message);
}

function tokenOf({ params }: Received): unknown {
  const meta = params['_meta'];
  return isObject(meta) ? meta['progressToken'] : undefined;
}

function notification(visit: Visit, message: Received, json: SeenMembers): void {
  const { method, params } = message;
  visit.check('base-61', !('id' in json), 'a notification without an id', message);
  if (method === 'notifications/cancelled') cancellation(visit, message);
  else if (method === 'notifications/roots/list_changed') {
    // 2025-11-25 client/roots#capabilities: a client that announces changed roots must have declared roots.
    visit.check('roots-2', isObject(visit.declared['roots']), 'the capability roots from a client that tells of changed roots', message);
  }
  else if (method === 'notifications/progress') {
    const token = params['progressToken'];
    visit.check('progress-3', [...visit.asked.values()].some(({ text }) => text.includes(`"progressToken":${JSON.stringify(token)}`)), 'a token that a request of the server gave', message);
  }
}

function cancellation(visit: Visit, message: Received): void {
  const id = message.params['requestId'];
  visit.check('schema-2', id !== undefined, 'requestId in notifications/cancelled', message);
  if (id === undefined) return;
  const cancelled = visit.messages.find((one) => isRequest(one) && one.id === id && one.place < message.place);
  visit.check(['cancellation-4', 'cancellation-5'], cancelled !== undefined, 'the requestId of a request that the client sent', message);
  visit.check('cancellation-12', cancelled?.method !== 'initialize', 'initialize not cancelled', message);
}

function response(visit: Visit, message: Received, json: SeenMembers): void {
  const { id } = message;
  if (visit.modern) {
    visit.check('base-3', false, 'no response: a server of 2026-07-28 sends no requests', message);
    return;
  }
  if (visit.unjudged.has(id)) return;
  const { error } = json;
  visit.check('base-69', !('result' in json && 'error' in json), 'a result or an error, not both', message);
  if ('error' in json) {
    visit.check('base-31', isObject(error) && Number.isInteger(error['code']), 'an integer as the code of the error', message);
    visit.check('base-32', isObject(error) && 'code' in error && typeof error['message'] === 'string', 'an error with code and message', message);
    visit.check('schema-7', id === undefined || isId(id) || id === null && visit.revision.place < 3, 'an error whose id is a string, an integer or absent', message);
    // The hidden server's requests are readable, so an error must have their id.
    if ((id === undefined || id === null) && visit.waiting.size > 0) visit.check('base-33', false, 'the id of the request that failed', message);
    if (id === undefined || id === null || visit.cancelled.has(id)) return;
    visit.check('base-33', visit.question(id) !== undefined, 'the id of a request', message);
  } else visit.check('base-70', visit.question(id) !== undefined, 'the id of a request of the server', message);
  if ('result' in json) visit.check('base-71', isObject(json['result']), 'a result that is an object', message);
}

function metaKeys(visit: Visit, message: Received, json: SeenMembers): void {
  for (const holder of [json['params'], json['result']]) {
    const meta = isObject(holder) ? holder['_meta'] : undefined;
    if (!isObject(meta)) continue;
    for (const key of Object.keys(meta)) {
      const slash = key.indexOf('/');
      const prefix = slash < 0 ? undefined : key.slice(0, slash);
      if (prefix !== undefined) {
        visit.check('base-10', prefix.split('.').every((one) => one !== ''), `a prefix of labels joined by dots in the _meta key ${JSON.stringify(key)}`, message);
        visit.check('base-13', prefix.split('.').every((one) => one === '' || label.test(one)), `labels that begin with a letter and end with a letter or digit in the _meta key ${JSON.stringify(key)}`, message);
      }
      visit.check('base-17', keyName.test(key.slice(slash + 1)), `a name that begins and ends with a letter or digit in the _meta key ${JSON.stringify(key)}`, message);
    }
  }
}
