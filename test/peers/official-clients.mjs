// The clients of both official SDK versions behind one interface for tests, with records of the server's messages.
import * as v1 from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as SseV1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import * as v2 from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';

const info = { name: 'peer', version: '1.0.0' };
const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } };

const versions = {
  v1: {
    make: () => new v1.Client(info, { capabilities }),
    request: (client, method, handler) => client.setRequestHandler({
      'elicitation/create': types.ElicitRequestSchema,
      'sampling/createMessage': types.CreateMessageRequestSchema,
      'roots/list': types.ListRootsRequestSchema,
    }[method], handler),
    notification: (client, method, handler) => client.setNotificationHandler({
      'notifications/message': types.LoggingMessageNotificationSchema,
      'notifications/resources/updated': types.ResourceUpdatedNotificationSchema,
      'notifications/resources/list_changed': types.ResourceListChangedNotificationSchema,
    }[method], handler),
    transports: { stdio: (command) => new StdioV1(command), http: (url) => new HttpV1(new URL(url)), sse: (url) => new SseV1(new URL(url)) },
  },
  v2: {
    make: (mode) => new v2.Client(info, { capabilities, versionNegotiation: { mode } }),
    request: (client, method, handler) => client.setRequestHandler(method, handler),
    notification: (client, method, handler) => client.setNotificationHandler(method, handler),
    transports: { stdio: (command) => new StdioV2(command), http: (url) => new v2.StreamableHTTPClientTransport(new URL(url)) },
  },
};

/** The clients under test: name, SDK version, and how v2 negotiates. */
export const officialClients = [
  { name: 'sdk v1', version: 'v1' },
  { name: 'sdk v2, legacy', version: 'v2', mode: 'legacy' },
  { name: 'sdk v2, auto', version: 'v2', mode: 'auto' },
  { name: 'sdk v2, pinned to 2026-07-28', version: 'v2', mode: { pin: '2026-07-28' } },
];

/** A list to wait on: `until(match)` resolves with the first matching element, now or later. */
function record() {
  const items = [];
  let waiting = [];
  return {
    items,
    add(item) {
      items.push(item);
      waiting = waiting.filter(({ match, resolve }) => !(match(item) && (resolve(item), true)));
    },
    until(match = () => true) {
      const found = items.find(match);
      return found === undefined ? new Promise((resolve) => waiting.push({ match, resolve })) : Promise.resolve(found);
    },
  };
}

/**
 * Connects a client. `answers.elicit`, `answers.sample` and `answers.roots` may be set at any time; `asked` lists the server's
 * requests, `told` its notifications.
 */
export async function connect(t, { version, mode }, kind, target) {
  const { make, request, notification, transports } = versions[version];
  const client = make(mode);
  const asked = [];
  const told = record();
  const answers = {
    elicit: () => ({ action: 'decline' }),
    sample: () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: '1' } }),
    roots: () => [],
  };
  request(client, 'elicitation/create', async ({ params }) => (asked.push(params), answers.elicit(params)));
  request(client, 'sampling/createMessage', async ({ params }) => (asked.push(params), answers.sample(params)));
  request(client, 'roots/list', async () => ({ roots: answers.roots() }));
  for (const method of ['notifications/message', 'notifications/resources/updated', 'notifications/resources/list_changed']) {
    notification(client, method, (message) => told.add(message));
  }
  await client.connect(transports[kind](target));
  t.after(() => client.close());
  const modern = version === 'v2' && client.getNegotiatedProtocolVersion?.() === '2026-07-28';
  return { version, client, answers, asked, told, modern };
}
