// The five modes as plans for the load generator: each user's messages, and the required content of each answer.
import { echo, headers, initialize, initialized, request } from '../lib/messages.mjs';

const text = 'a'.repeat(20);
const call = (name, given, options) => request('tools/call', { name, arguments: given }, options);

/** The calls: a message, and text that its answer must contain. */
const calls = {
  echo: { message: echo(text), expect: text },
  cart: { message: call('cart', { user: 'user-{{user}}' }), expect: 'user-{{user}}' },
  product: { message: call('product', { id: '{{user}}' }), expect: 'Product {{user}}' },
};

// The placeholders of the load generator: an id has seven digits, a user five.
const filled = (body) => body.replaceAll('{{id}}', '1000000').replaceAll('{{user}}', '00000');

function step(method, head, body, { inSession = true, ...more } = {}) {
  let out = `${method} /mcp HTTP/1.1\r\nhost: 127.0.0.1:{{port}}\r\n`;
  for (const [name, value] of Object.entries(head)) out += `${name}: ${value}\r\n`;
  // The placeholder is the whole line of the session header.
  if (inSession) out += '{{session}}';
  if (body !== undefined) out += `content-length: ${Buffer.byteLength(filled(body))}\r\n`;
  return { text: `${out}\r\n${body ?? ''}`, statuses: [200], ...more };
}

const opening = [
  step('POST', headers(request('initialize')), initialize(), { inSession: false, expect: '"protocolVersion"' }),
  step('POST', headers(request('initialized')), initialized, { statuses: [200, 202, 204] }),
];
// A server with sessions sealed into their ids has nothing to end, and answers 405.
const closing = [step('DELETE', { 'mcp-protocol-version': '2025-11-25' }, undefined, { in_session: true, statuses: [200, 202, 204, 405] })];

function calling({ message, expect }, modern = false) {
  return step('POST', headers(message, { modern }), `${message.before}{{id}}${message.after}`, { expect });
}

const iteration = (name) => ({ users: 50, opening: [], each: [...opening, calling(calls[name]), ...closing], closing: [] });

/** Every mode: title, unit, and plan without port and times. */
export const modes = {
  modern: {
    title: 'One call, 2026-07-28',
    unit: 'calls a second',
    what: '32 connections, no session; the tool returns its text of 20 bytes',
    plan: { users: 32, opening: [], each: [calling({ message: echo(text, { modern: true }), expect: text }, true)], closing: [] },
  },
  session: {
    title: 'One call in a session, 2025-11-25',
    unit: 'calls a second',
    what: '32 connections, each with a session that it opened before; the same tool',
    plan: { users: 32, opening, each: [calling(calls.echo)], closing },
  },
  echo: {
    title: 'A whole session for one call',
    unit: 'sessions a second',
    what: '50 users, each over and over `initialize`, `notifications/initialized`, `tools/call`, `DELETE`; the same tool',
    plan: iteration('echo'),
  },
  cart: {
    title: 'A whole session for a tool that reads Redis',
    unit: 'sessions a second',
    what: 'the same four requests; the tool reads a hash of four fields (`HGETALL`) and returns it as JSON',
    plan: iteration('cart'),
  },
  product: {
    title: 'A whole session for a tool that calls an HTTP service',
    unit: 'sessions a second',
    what: 'the same four requests; the tool gets 180 bytes of JSON over a connection kept alive, and returns them',
    plan: iteration('product'),
  },
};

/** The plan of a mode for a port. */
export function planFor(mode, port, leadMs, ms) {
  const at = (steps) => steps.map((each) => ({ ...each, text: each.text.replace('{{port}}', port) }));
  const { users, opening: first, each, closing: last } = modes[mode].plan;
  return { port, users, lead_ms: leadMs, ms, opening: at(first), each: at(each), closing: at(last) };
}
