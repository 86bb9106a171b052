import { checkOptions } from '../bounds/options.ts';
import { isObject } from '../jsonrpc/internal-exports.ts';
import { visible } from '../explain/safe-text.ts';
import { shorten } from '../bounds/quote.ts';
import { acceptedDemand, foreignOrigin, listeningDemand, messageExpected, originDemand, sessionDemand, shownHead, typeDemand, typeOf, unknownSession, unknownVersion, versionDemand } from '../judge/http-demand.ts';
import type { HttpDemand, HttpHead } from '../judge/http-demand.ts';
import { redactText, redactUrl } from '../transport/internal-exports.ts';
import { initializeParams } from './conversation.ts';
import { finding } from './finding.ts';
import type { Finding, FindingCode } from './finding.ts';
import { networkFinding } from './network.ts';
import type { Probe, ProbeAnswer, ProbeRequest } from './probe.ts';

/** The server's address, and the function that sends requests to it. */
export interface Address {
  /** The MCP endpoint. */
  readonly url: string;
  /** Sends one request of the doctor. */
  readonly send: Probe;
}

/** The findings at the HTTP level, before the protocol is tested. */
export interface AddressReport {
  /** The problems; empty: none. */
  readonly findings: readonly Finding[];
  /** Whether the protocol can be tested over this address. */
  readonly usable: boolean;
  /** Whether the server requires credentials. The transport may have some. */
  readonly wantsLogin: boolean;
}

/** Sends a request to the endpoint, or to another path. */
type AskAddress = (request: Omit<ProbeRequest, 'url'>, at?: string) => Promise<ProbeAnswer>;

const legacyVersion = '2025-11-25';
const post: Readonly<Record<string, string>> = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const rpc = (id: number, method: string, params?: object): string => JSON.stringify({ jsonrpc: '2.0', id, method, params });
const initialize = rpc(1, 'initialize', initializeParams(legacyVersion));

/**
 * Sends requests to an address like a client, and like a page of another origin, and reports problems of the responses.
 * `origin`: the origin of a page that will use the address. Ends each session that it begins.
 * Never rejects.
 */
export async function examineAddress(address: Address, origin?: string): Promise<AddressReport> {
  checkOptions('examineAddress: address', address, { url: 'string', send: 'function' });
  const { url, send } = address;
  const ask: AskAddress = (request, at = url) => send({ ...request, url: at });
  const opening = { method: 'POST', headers: post, body: initialize };
  let answer: ProbeAnswer;
  try {
    answer = await ask(opening);
  } catch (thrown) {
    return { findings: [networkFinding(thrown, url)], usable: false, wantsLogin: false };
  }
  const { status } = answer;
  if (status === 401 || status === 403) {
    const findings = status === 401 ? refusedLogin(answer, url) : [refusedOtherwise(answer)];
    return { findings, usable: status === 401, wantsLogin: status === 401 };
  }
  const page = status === 200 && typeOf(answer) === 'text/html';
  if (status === 400 || status === 404 || status === 405 || page) {
    // 2025-11-25 basic/transports#backwards-compatibility. A JSON-RPC error comes from an endpoint.
    if (!isMessage(answer.body) && await isOldTransport(ask)) {
      return { findings: [finding('old-transport', `${host(url)} speaks HTTP+SSE, the transport of 2024-11-05.`)], usable: true, wantsLogin: false };
    }
    // 2026-07-28 basic/transports/streamable-http: an endpoint rejects an unknown method with 404 and this error.
    if (status !== 400 && !(isMessage(answer.body) && answer.body.includes('-32601'))) {
      return { findings: [await wrongPath(answer, url, ask, opening)], usable: false, wantsLogin: false };
    }
  }
  const bad = badAnswer(answer, 'initialize');
  if (bad) {
    await endSession(answer, ask);
    return { findings: [bad], usable: false, wantsLogin: false };
  }
  const findings = [...await sessionFindings(answer, ask), ...await originFindings(url, ask, opening, origin)];
  return { findings, usable: true, wantsLogin: false };
}

/** The problem with the response to a POST of a request, by status, type and body. Undefined: none. */
export function badAnswer(answer: ProbeAnswer, method: string): Finding | undefined {
  const { status, headers, body } = answer;
  const got = `${method} was answered with ${status}`;
  if (status === 0 || (status >= 300 && status < 400)) return finding('redirected', `${got}: it redirects to ${shown(redactUrl(headers['location'] ?? 'another address'))}.`);
  if (status === 429) return finding('rate-limited', `${got}${headers['retry-after'] === undefined ? '' : `, Retry-After: ${shown(headers['retry-after'])}`}.`);
  const untyped = unkept(method, typeDemand.expected, answer);
  if (status === 406) return finding('not-acceptable', untyped);
  const type = typeOf(answer);
  if (status < 400 && status !== 202 && body !== '' && !typeDemand.kept(answer)) return finding(type === '' ? 'content-type-missing' : 'content-type-wrong', untyped);
  if (status < 500 && status !== 202 && isMessage(type === 'text/event-stream' ? firstData(body) : body)) return undefined;
  return finding(status < 400 ? 'body-no-message' : 'server-error', unkept(method, messageExpected, answer));
}

function refusedLogin({ headers, body }: ProbeAnswer, url: string): Finding[] {
  const challenge = headers['www-authenticate'];
  const what = `${host(url)} answers 401: it requires credentials${body === '' ? '' : ` (${shown(body)})`}.`;
  const found = [finding('unauthorized', what)];
  if (challenge === undefined || !/resource_metadata=/.test(challenge)) {
    found.push(finding('challenge-missing', challenge === undefined ? 'The 401 has no WWW-Authenticate.' : `The challenge names no resource_metadata: ${shown(challenge)}`));
  }
  return found;
}

/** 403 need not be about a token: some servers answer so if Origin is missing or the host name is unknown. */
function refusedOtherwise({ headers, body }: ProbeAnswer): Finding {
  const what = `initialize was answered with 403: ${shown(headers['www-authenticate'] ?? body)}`;
  return headers['www-authenticate'] === undefined && /origin|host/i.test(body)
    ? finding('forbidden', what, { todo: 'The server refuses the name in the address (Host), or requires an Origin: add this host to its allowed hosts.' })
    : finding('forbidden', what);
}

/** Looks for the endpoint at common paths. */
async function wrongPath(
  answer: ProbeAnswer, url: string, ask: AskAddress, opening: Omit<ProbeRequest, 'url'>,
): Promise<Finding> {
  const { status } = answer;
  const what = `POST ${shown(new URL(url).pathname)} was answered with ${status}${status === 200 ? ' and an HTML page' : ''}: not an MCP endpoint.`;
  for (const path of ['/mcp', '/', '/api/mcp', '/sse']) {
    const other = new URL(path, url).href;
    if (other === url) continue;
    try {
      if (path === '/sse' ? await isOldTransport(ask, other) : await isEndpoint(ask, other, opening)) return finding('wrong-path', what, { todo: `Use ${other}: the endpoint is there.` });
    } catch {
      // No endpoint at this path either.
    }
  }
  return finding('wrong-path', what);
}

async function isEndpoint(ask: AskAddress, at: string, opening: Omit<ProbeRequest, 'url'>): Promise<boolean> {
  const answer = await ask(opening, at);
  await endSession(answer, ask, at);
  return answer.status < 300 && !badAnswer(answer, 'initialize');
}

/** Ends the session that a response has begun. Never rejects. */
async function endSession(opened: ProbeAnswer, ask: AskAddress, at?: string): Promise<void> {
  const id = opened.headers['mcp-session-id'];
  if (id !== undefined) await ask({ method: 'DELETE', headers: { 'mcp-session-id': id, 'mcp-protocol-version': negotiated(opened) ?? legacyVersion } }, at).catch(() => {});
}

async function isOldTransport(ask: AskAddress, at?: string): Promise<boolean> {
  try {
    const answer = await ask({ method: 'GET', headers: { accept: 'text/event-stream' } }, at);
    return typeOf(answer) === 'text/event-stream' && /event: ?endpoint/.test(answer.body);
  } catch {
    return false;
  }
}

/** Tests the session that `initialize` began: ids, versions, notifications and GET. */
async function sessionFindings(opened: ProbeAnswer, ask: AskAddress): Promise<Finding[]> {
  const found: Finding[] = [];
  const id = opened.headers['mcp-session-id'];
  // Without a successful initialize there is nothing to test.
  if (opened.status >= 300) return found;
  if (id !== undefined && !/^[\x21-\x7e]+$/.test(id)) found.push(finding('session-id-odd', `The session id is ${shown(id)}.`));
  const session: Record<string, string> = { ...id !== undefined && { 'mcp-session-id': id }, 'mcp-protocol-version': negotiated(opened) ?? legacyVersion };
  const tell = (body: string, more: Readonly<Record<string, string>> = {}): Promise<ProbeAnswer> => ask({ method: 'POST', headers: { ...post, ...session, ...more }, body });
  try {
    found.push(...held('notification-status', 'notifications/initialized', acceptedDemand, await tell('{"jsonrpc":"2.0","method":"notifications/initialized"}')));
    const get = await ask({ method: 'GET', headers: { accept: 'text/event-stream', ...session }, headOnly: true });
    found.push(...held('get-wrong', 'GET', listeningDemand, { ...get, body: undefined }));
    const odd = await tell(rpc(2, 'ping'), { 'mcp-protocol-version': unknownVersion });
    found.push(...held('version-header-unchecked', `MCP-Protocol-Version: ${unknownVersion}`, versionDemand, odd));
    if (id !== undefined) {
      const unknown = await tell(rpc(3, 'ping'), { 'mcp-session-id': unknownSession });
      // The demand is about an ended session. This id never existed, so 400 is right too.
      if (unknown.status !== 400) found.push(...held('session-not-404', 'a made-up session id', sessionDemand, unknown));
      await ask({ method: 'DELETE', headers: session });
    }
  } catch (thrown) {
    found.push(networkFinding(thrown, 'the session'));
  }
  return found;
}

async function originFindings(
  url: string, ask: AskAddress, opening: Omit<ProbeRequest, 'url'>, origin: string | undefined,
): Promise<Finding[]> {
  const found: Finding[] = [];
  const tried = async (from: string, method: string = 'POST'): Promise<ProbeAnswer> => {
    const answer = await ask(method === 'POST' ? { ...opening, headers: { ...post, origin: from } } : {
      method, headers: { origin: from, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type,mcp-protocol-version,mcp-session-id' },
    });
    await endSession(answer, ask);
    return answer;
  };
  try {
    if (origin !== undefined) {
      const { status, headers, body } = await tried(origin);
      if (status === 403) found.push(finding('origin-refused', `A request with the Origin ${shown(origin)} was answered with 403: ${shown(body)}`));
      else {
        const allowed = (fields: Readonly<Record<string, string>>): boolean => ['*', origin].includes(fields['access-control-allow-origin'] ?? '');
        const { headers: before } = await tried(origin, 'OPTIONS');
        const lacks = [!allowed(before) && 'Access-Control-Allow-Origin of OPTIONS', !allowed(headers) && 'Access-Control-Allow-Origin of POST',
          headers['mcp-session-id'] !== undefined && !/mcp-session-id|\*/i.test(headers['access-control-expose-headers'] ?? '') && 'Access-Control-Expose-Headers: Mcp-Session-Id'].filter(Boolean);
        if (lacks.length > 0) found.push(finding('cors-missing', `For a page from ${shown(origin)} the responses lack ${lacks.join(', ')}.`));
      }
    }
    // DNS rebinding reaches servers that listen on this machine.
    if (/^(localhost|127\.|\[?::1)/.test(new URL(url).hostname)) {
      const answer = await tried(foreignOrigin);
      if (answer.status < 300) found.push(...held('origin-unchecked', `Origin: ${foreignOrigin}`, originDemand, answer));
    }
  } catch {
    // A browser does not let a page set Origin.
  }
  return found;
}

/** The revision in the response to initialize. */
function negotiated(answer: ProbeAnswer): string | undefined {
  const found = /"protocolVersion"\s*:\s*"([\d-]{10})"/.exec(answer.body);
  return found?.[1];
}

const host = (url: string): string => visible(new URL(url).host);

/** The words for a response that does not meet the demand. */
const unkept = (asked: string, expected: string, head: HttpHead): string =>
  `${asked}: expected ${expected}, got ${shown(shownHead({ ...head, body: head.body && redactText(head.body) }))}`;

/** A finding if the response does not meet the judge's demand. */
const held = (code: FindingCode, asked: string, { expected, kept }: HttpDemand, head: HttpHead): Finding[] => (kept(head) ? [] : [finding(code, unkept(asked, expected, head))]);

/** The data of the first event that has data. */
function firstData(body: string): string {
  for (const event of body.split(/\r?\n\r?\n|\r\r/)) {
    const data = event.split(/\r\n|[\r\n]/).filter((line) => line.startsWith('data:')).map((line) => line.slice(line.startsWith('data: ') ? 6 : 5)).join('\n');
    if (data !== '') return data;
  }
  return '';
}

function isMessage(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    const messages = Array.isArray(value) ? value : [value];
    // An empty batch is not a message. JSON-RPC 2.0, 6.
    return messages.length > 0 && messages.every((one) => isObject(one) && one['jsonrpc'] === '2.0');
  } catch {
    return false;
  }
}

/** The server's text, safe to print and shortened; first redacted, because a part of a key does not look like one. */
const shown = (text: string): string => (text === '' ? '(nothing)' : visible(shorten(redactText(text).replaceAll(/\s+/g, ' '), 200)));
