// A client's end of Streamable HTTP: each message is a POST, and the answer a body of JSON or a stream of events.
import { read } from './messages.mjs';

export function httpLink(url) {
  let session;
  let version;

  async function post(message) {
    const headers = {
      'content-type': 'application/json', accept: 'application/json, text/event-stream',
      ...session && { 'mcp-session-id': session }, ...version && { 'mcp-protocol-version': version },
      ...message.params?._meta && { 'mcp-method': message.method },
      ...message.params?._meta && message.params.name && { 'mcp-name': encode(message.params.name) },
    };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(message) });
    session ??= response.headers.get('mcp-session-id') ?? undefined;
    return response;
  }

  const link = {
    agreed: (agreed) => void (version = agreed),
    notify: async (message) => void await (await post(message)).text(),
    async request(message) {
      const response = await post(message);
      if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
        for await (const data of events(response.body)) {
          const { request, response: answered } = read(data);
          if (request) await link.notify(link.answer(request));
          if (answered?.id === message.id) return answered;
        }
        throw new Error('the stream ended without an answer');
      }
      const { response: answered } = read(await response.text());
      // What an old server says to a request that it does not know is of no form.
      if (answered?.id === message.id || message.method === 'server/discover') return answered ?? {};
      throw new Error(`status ${response.status}`);
    },
    async close() {
      if (session) await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': session, 'mcp-protocol-version': version } });
    },
  };
  return link;
}

/** What a header cannot hold as it is goes in base64. */
const encode = (value) => (/^[!-~]+$/.test(value) ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`);

/** The data of each event of a stream; `\r` is no character of a message's JSON, and no event is named. */
async function* events(body) {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text.replaceAll('\r', '')).split('\n\n');
    rest = parts.pop();
    for (const part of parts) {
      const data = part.split('\n').filter((line) => line.startsWith('data:')).map((line) => line.slice(5)).join('\n');
      if (data.trim() !== '') yield data;
    }
  }
}
