import { isObject } from '../../jsonrpc/internal-exports.ts';
import type { CarrierReply } from '../carrier.ts';
import type { Arrival, JudgedConversation } from '../conversation.ts';
import { messageExpected, shownHead, typeDemand } from '../http-demand.ts';

// Checks of each HTTP response, and of each event of a stream.

function bodyOf(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const json: unknown = JSON.parse(text ?? '');
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

export function judgeReply(conversation: JudgedConversation, reply: CarrierReply, text: string | undefined): void {
  const { status, headers, stream, body, method, utf8 } = reply;
  const { modern } = conversation;
  const shown = shownHead(reply);
  if (!utf8) conversation.check('base-60', false, 'a body in UTF-8', shown, text);
  const sent = method === 'POST' ? bodyOf(text) : undefined;
  const asks = sent !== undefined && typeof sent['method'] === 'string' && sent['id'] !== undefined && sent['jsonrpc'] === '2.0';
  if (asks && status === 200) {
    const kept = typeDemand.kept(reply);
    conversation.check('streamable-http-37', kept, typeDemand.expected, shown, text);
    if (kept) conversation.check('streamable-http-1', true, '', shown);
    if (kept && !stream) conversation.check('base-58', bodyOf(body) !== undefined || body.trimStart().startsWith('['), messageExpected, shown, text);
  }
  if (stream && modern) conversation.check('streamable-http-22', headers['x-accel-buffering'] === 'no', 'X-Accel-Buffering: no', shown, text);
  const session = headers['mcp-session-id'];
  if (session !== undefined) {
    if (modern) conversation.check('streamable-http-11', false, 'no Mcp-Session-Id', shown, text);
    else conversation.check('transports-36', /^[\x21-\x7e]+$/.test(session), 'a session id of visible ASCII characters', shown, text);
  }
}

/** Judges whether a message is on the right stream. */
export function judgeStreamed(conversation: JudgedConversation, arrival: Arrival): void {
  const { json, event, exchange } = arrival;
  if (!event || !isObject(json)) return;
  const { entries, modern } = conversation;
  // The stream of HTTP+SSE carries every message.
  if (conversation.kind !== 'http') return;
  const head = entries.find((entry) => entry.kind === 'http' && entry.exchange === exchange && entry.direction === 'sent');
  const onGet = head?.kind === 'http' && head.method === 'GET';
  const answer = typeof json['method'] !== 'string';
  if (onGet && !modern) {
    const resumed = head.headers['last-event-id'] !== undefined;
    conversation.check('transports-4', !answer || resumed, 'no response on a GET stream that resumes nothing', arrival);
    conversation.check('transports-6', resumed || json['method'] !== 'notifications/progress', 'nothing that belongs to a request', arrival);
  }
  if (event.id !== undefined && event.id !== '') {
    const same = conversation.arrivals.some((one) => one !== arrival && one.exchange !== undefined && one.event?.id === event.id && one.at !== arrival.at && one.text !== arrival.text);
    conversation.check('transports-12', !same, 'an event id that no other event of the session has', arrival);
    const elsewhere = conversation.arrivals.find((one) => one.exchange !== exchange && !one.replayed && !arrival.replayed && one.event?.id === event.id && one.text !== arrival.text);
    if (elsewhere) conversation.check('transports-11', false, `an event id that says which stream it is of: ${event.id} is on two`, arrival);
  }
  const twice = conversation.arrivals.filter((one) => one !== arrival && one.text === arrival.text && one.exchange !== exchange);
  // The same response on another stream, although nothing was resumed. A request has only one response.
  if (answer) conversation.check('transports-7', twice.length === 0 || onGet, 'a message on one stream only', arrival);
  if (modern && !answer) {
    const asked = conversation.asked.find((one) => one.exchange === exchange);
    const params = isObject(json['params']) ? json['params'] : {};
    if (json['method'] === 'notifications/progress' && asked) {
      const meta = isObject(asked.params['_meta']) ? asked.params['_meta'] : {};
      conversation.check('streamable-http-21', params['progressToken'] === meta['progressToken'], 'notifications that belong to the request of the stream', arrival);
    }
  }
}
