// The requests that every client makes. Each line is a request: method, URL, header fields, and the body's octets in hexadecimal digits,
// separated by tabs. `$session` in a field stands for the last `Mcp-Session-Id`. A client sends them in order and prints a line for each:
// the status, a tab, the content in hexadecimal digits.
const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {},
};
const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

/** A call of 2026-07-28. */
function call(name, args, more = {}) {
  const params = { name, arguments: args, _meta: { ...modern, ...more } };
  return {
    method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    fields: { ...json, 'Mcp-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': name },
  };
}
const initialize = {
  jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'plan', version: '1' } },
};
const inSession = { ...json, 'Mcp-Session-Id': '$session', 'Mcp-Protocol-Version': '2025-11-25' };

/** Each request with the expected status and a part of the expected content. */
export const plan = [
  { title: 'a call', ...call('echo', { text: 'h\u00e9llo' }), want: [200, 'h\u00e9llo'] },
  { title: 'another path', method: 'GET', path: '/other', fields: {}, want: [404, ''] },
  { title: 'HEAD', method: 'HEAD', fields: {}, want: [405, ''] },
  { title: 'OPTIONS', method: 'OPTIONS', fields: {}, want: [405, ''] },
  { title: 'a stream', ...call('count', {}, { progressToken: 1 }), want: [200, '"progress":3'] },
  { title: 'an answer of a megabyte', ...call('big', { size: 1_000_000 }), want: [200, 'x'.repeat(1_000_000)] },
  { title: 'a request of 1.5 MB', ...call('length', { text: 'y'.repeat(1_500_000) }), want: [200, '1500000 characters'] },
  { title: 'no JSON', method: 'POST', body: '{', fields: json, want: [400, '-32700'] },
  { title: 'initialize', method: 'POST', body: JSON.stringify(initialize), fields: json, want: [200, '2025-11-25'] },
  { title: 'a notification', method: 'POST', body: '{"jsonrpc":"2.0","method":"notifications/initialized"}', fields: inSession, want: [202, ''] },
  { title: 'tools/list in the session', method: 'POST', body: '{"jsonrpc":"2.0","id":2,"method":"tools/list"}', fields: inSession, want: [200, '"echo"'] },
  { title: 'DELETE', method: 'DELETE', fields: { 'Mcp-Session-Id': '$session', 'Mcp-Protocol-Version': '2025-11-25' }, want: [204, ''] },
  { title: 'a call after it', ...call('echo', { text: 'last' }), want: [200, 'last'] },
];

/** The plan for a server, as lines. */
export const linesOf = (origin) => plan.map(({ method, path = '/mcp', fields, body = '' }) => [
  method, `${origin}${path}`, ...Object.entries(fields).map((field) => field.join(': ')), Buffer.from(body).toString('hex'),
].join('\t'));

/** The first fault in a client's lines; undefined for correct lines. */
export function wrong(lines) {
  for (const [i, { title, want: [status, part] }] of plan.entries()) {
    const [found, content] = (lines[i] ?? '').split('\t');
    const text = Buffer.from(content ?? '', 'hex').toString();
    if (Number(found) !== status) return `${title}: status ${found || 'missing'} and not ${status} ${text.slice(0, 200)}`;
    if (!text.includes(part)) return `${title}: ${JSON.stringify(text.slice(0, 200))} without ${part.slice(0, 50)}`;
  }
  return lines.length === plan.length ? undefined : `${lines.length} answers to ${plan.length} requests`;
}
