import { capabilitiesKey, streamableHttp, versionHeader, versionKey } from '../../protocol/internal-exports.ts';
import type { Bench } from '../bench.ts';
import type { ReceivedAnswer } from '../conversation.ts';
import { acceptedDemand, foreignOrigin, listeningDemand, originDemand, sessionDemand, shownHead, unknownSession, unknownVersion, versionDemand } from '../http-demand.ts';
import type { ServerProbe } from '../probe.ts';

const isLocal = ({ server }: Bench): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(server.http?.url ?? 'http://x').hostname);

const withStatus = (answer: ReceivedAnswer): string => (answer.reply ? `HTTP ${answer.reply.status} ${answer.came}` : answer.came);

/** The rules of Streamable HTTP in all eras. */
export const httpProbes: readonly ServerProbe[] = [
  {
    // 2025-11-25 basic/transports#security-warning. At a network address, a server may accept every origin on purpose.
    name: 'a foreign origin', rules: ['streamable-http-32', 'streamable-http-33'], over: 'http',
    async run(bench, revision) {
      const conversation = await bench.raw(revision);
      const method = conversation.modern ? 'server/discover' : 'initialize';
      const answer = await conversation.ask(method, conversation.modern ? {} : { protocolVersion: revision.version, capabilities: {}, clientInfo: { name: 'barewire-judge', version: '1' } }, { headers: { origin: foreignOrigin } });
      const { reply } = answer;
      if (!reply) return;
      const entered = reply.status < 300;
      if (entered && !isLocal(bench)) conversation.dispute('streamable-http-33', originDemand.expected, withStatus(answer), answer.asked.text);
      else conversation.check('streamable-http-33', !entered, originDemand.expected, withStatus(answer), answer.asked.text);
      if (!entered) conversation.check('streamable-http-32', originDemand.kept(reply), originDemand.expected, withStatus(answer), answer.asked.text);
      void conversation.close();
    },
  },
  {
    // 2025-11-25 basic/transports#sending-messages-to-the-server.
    name: 'an accepted notification', rules: ['transports-20', 'streamable-http-38'], over: 'http',
    async run(bench, revision) {
      if (!streamableHttp(revision)) return;
      const conversation = await bench.main(revision);
      const method = conversation.modern ? 'notifications/cancelled' : 'notifications/initialized';
      const params = conversation.modern ? { requestId: 'judge-unknown', _meta: { [versionKey]: revision.version, [capabilitiesKey]: {} } } : undefined;
      const reply = await conversation.tell(method, params);
      if (!reply) return;
      // Over HTTP, notifications to a modern server are not defined, so it may refuse this one.
      if (conversation.modern && reply.status >= 400) return;
      reply.cancel();
      conversation.check(['transports-20', 'streamable-http-38'], acceptedDemand.kept(reply), acceptedDemand.expected, shownHead(reply), JSON.stringify({ jsonrpc: '2.0', method, ...params && { params } }));
    },
  },
  {
    name: 'a message that cannot be accepted', rules: ['streamable-http-39'], over: 'http', era: 'modern',
    async run(bench, revision) {
      const conversation = await bench.main(revision);
      const text = '{"jsonrpc":"2.0","method":7}';
      const reply = await conversation.sendText(text, { headers: { 'mcp-method': 'judge' } });
      if (reply) conversation.check('streamable-http-39', reply.status >= 400, 'an HTTP status of an error', shownHead(reply), text);
    },
  },
  {
    // 2025-11-25 basic/transports#listening-for-messages-from-the-server.
    name: 'GET', rules: ['transports-5', 'transports-39'], over: 'http', era: 'legacy',
    async run(bench, revision) {
      if (!streamableHttp(revision)) return;
      const conversation = await bench.fresh(revision);
      const reply = await conversation.bare('GET', { accept: 'text/event-stream' });
      if (reply) {
        conversation.check(['transports-5', 'transports-39'], listeningDemand.kept(reply), listeningDemand.expected, shownHead(reply), 'GET');
        reply.cancel();
      }
      void conversation.close();
    },
  },
  {
    // 2025-06-18 basic/transports#protocol-version-header.
    name: 'an unknown version in the header', rules: ['transports-9'], over: 'http', era: 'legacy',
    async run(bench, revision) {
      if (!versionHeader(revision)) return;
      const conversation = await bench.main(revision);
      const answer = await conversation.ask('ping', {}, { headers: { 'mcp-protocol-version': unknownVersion } });
      if (answer.reply) conversation.check('transports-9', versionDemand.kept(answer.reply), versionDemand.expected, withStatus(answer), answer.asked.text);
    },
  },
  {
    // 2025-11-25 basic/transports#session-management.
    name: 'sessions', rules: ['transports-33', 'transports-35', 'transports-36', 'transports-37'], over: 'http', era: 'legacy', needs: 'a server with sessions',
    async run(bench, revision) {
      const conversation = await bench.main(revision);
      const { session } = conversation;
      if (session === undefined) {
        for (const id of ['transports-33', 'transports-35', 'transports-36', 'transports-37']) bench.ledger.notApplicable(id, revision.version, 'the server has no sessions');
        return;
      }
      const without = await conversation.ask('ping', {}, { headers: { 'mcp-session-id': undefined } });
      if (without.reply) conversation.check('transports-33', without.reply.status === 400, 'HTTP 400: the session id is missing', withStatus(without), without.asked.text);
      const unknown = await conversation.ask('ping', {}, { headers: { 'mcp-session-id': unknownSession } });
      // The sentence is about a session that was ended; this one never existed.
      if (unknown.reply && sessionDemand.kept(unknown.reply)) conversation.check('transports-35', true, '', unknown);
      else if (unknown.reply && unknown.reply.status !== 400) conversation.dispute('transports-35', sessionDemand.expected, withStatus(unknown), unknown.asked.text);
      const other = await bench.fresh(revision);
      const two = other.session ?? '';
      // An id that cannot be guessed is long, and not a counter.
      const counts = two.length === session.length && [...two].filter((char, at) => char !== session[at]).length <= 2;
      conversation.check('transports-37', session.length >= 16 && two !== session && !counts, 'a session id of at least 16 characters, with nothing in common with the next', `ids of ${session.length} characters, of which ${[...two].filter((char, at) => char !== session[at]).length} differ from the next`);
      void other.close();
    },
  },
  {
    // 2025-11-25 basic/transports#session-management: an ended session gets 404.
    name: 'a session that was ended', rules: ['transports-35'], over: 'http', era: 'legacy', slow: true,
    async run(bench, revision) {
      const conversation = await bench.fresh(revision);
      if (conversation.session !== undefined) {
        const reply = await conversation.bare('DELETE');
        if (reply && reply.status < 300) {
          const answer = await conversation.ask('ping');
          if (answer.reply) conversation.check('transports-35', sessionDemand.kept(answer.reply), sessionDemand.expected, withStatus(answer), answer.asked.text);
        }
      }
      void conversation.close();
    },
  },
];

/** Sends a request with one wrong header. */
async function asksWrong(bench: Bench, revision: Parameters<Bench['main']>[0], rules: readonly string[], headers: Record<string, string | undefined>, expected: string, method = 'server/discover', params: Record<string, unknown> = {}): Promise<void> {
  const conversation = await bench.main(revision);
  const answer = await conversation.ask(method, params, { headers });
  if (!answer.reply) return;
  conversation.check(rules, answer.kind === 'error' && answer.code === -32020 && answer.reply.status === 400, `HTTP 400 with error -32020: ${expected}`, withStatus(answer), answer.asked.text);
}

/** The rules that 2026-07-28 adds to Streamable HTTP. */
export const modernHttpProbes: readonly ServerProbe[] = [
  {
    // 2026-07-28 basic/transports/streamable-http#server-validation.
    name: 'headers that differ from the body', over: 'http', era: 'modern',
    rules: ['streamable-http-18', 'streamable-http-14', 'streamable-http-46', 'streamable-http-55', 'streamable-http-58', 'streamable-http-3', 'base-14', 'streamable-http-44', 'streamable-http-47'],
    async run(bench, revision) {
      const conversation = await bench.main(revision);
      const plain = await conversation.ask('server/discover');
      if (plain.kind === 'result') conversation.check('streamable-http-3', true, '', plain);
      const legacy = bench.spoken.find(({ era }) => era === 'legacy');
      await asksWrong(bench, revision, ['streamable-http-18', 'streamable-http-46', 'streamable-http-55', 'base-14'], { 'mcp-protocol-version': legacy?.version ?? '2025-11-25' }, 'MCP-Protocol-Version differs from the body');
      await asksWrong(bench, revision, ['streamable-http-46', 'streamable-http-55'], { 'mcp-method': 'tools/list' }, 'Mcp-Method differs from the body');
      await asksWrong(bench, revision, ['streamable-http-58'], { 'mcp-method': undefined }, 'Mcp-Method is missing');
      const without = await conversation.ask('server/discover', {}, { headers: { 'mcp-protocol-version': undefined } });
      if (without.reply) {
        // A server for old clients may treat the request as one of 2025-03-26.
        if (!legacy) conversation.check('streamable-http-14', without.reply.status === 400, 'HTTP 400: MCP-Protocol-Version is missing', withStatus(without), without.asked.text);
        else conversation.check('streamable-http-14', without.reply.status >= 400, 'an HTTP error: MCP-Protocol-Version is missing', withStatus(without), without.asked.text);
      }
    },
  },
  {
    name: 'Mcp-Name', over: 'http', era: 'modern', needs: 'a server with tools, resources or prompts',
    rules: ['streamable-http-44', 'streamable-http-46', 'streamable-http-47', 'streamable-http-55', 'streamable-http-58'],
    async run(bench, revision) {
      const { lists: { prompts, resources } } = await bench.survey(revision);
      const [prompt] = prompts.items;
      const [resource] = resources.items;
      const [method, params, value] = prompt ? ['prompts/get', { name: prompt['name'], arguments: {} }, String(prompt['name'])] as const
        : ['resources/read', { uri: String(resource?.['uri'] ?? 'judge://nothing') }, String(resource?.['uri'] ?? 'judge://nothing')] as const;
      await asksWrong(bench, revision, ['streamable-http-46', 'streamable-http-55'], { 'mcp-name': `${value}x` }, 'Mcp-Name differs from the body', method, params);
      await asksWrong(bench, revision, ['streamable-http-58'], { 'mcp-name': undefined }, 'Mcp-Name is missing', method, params);
      await asksWrong(bench, revision, ['streamable-http-47'], { 'mcp-name': '=?base64?%%%?=' }, 'Mcp-Name is not Base64', method, params);
      if (!prompt && !resource) return;
      const conversation = await bench.main(revision);
      const encoded = await conversation.ask(method, params, { headers: { 'mcp-name': `=?base64?${base64(value)}?=` } });
      if (encoded.reply) conversation.check('streamable-http-44', encoded.code !== -32020, 'that Mcp-Name in Base64 is decoded before it is compared', withStatus(encoded), encoded.asked.text);
    },
  },
  {
    // 2026-07-28 basic/transports/streamable-http#backward-compatibility.
    name: 'features of earlier revisions', rules: ['streamable-http-10', 'streamable-http-11', 'streamable-http-12'], over: 'http', era: 'modern',
    async run(bench, revision) {
      const conversation = await bench.main(revision);
      const resumed = await conversation.ask('server/discover', {}, { headers: { 'last-event-id': 'judge-1' } });
      if (resumed.reply) conversation.check('streamable-http-10', resumed.kind === 'result', 'the result: Last-Event-ID is ignored', withStatus(resumed), resumed.asked.text);
      const session = await conversation.ask('server/discover', {}, { headers: { 'mcp-session-id': 'judge-unknown-session' } });
      if (session.reply) conversation.check('streamable-http-11', session.kind === 'result' && session.reply.headers['mcp-session-id'] === undefined, 'the result: Mcp-Session-Id is ignored', withStatus(session), session.asked.text);
      if (bench.spoken.some(({ era }) => era === 'legacy')) return bench.ledger.notApplicable('streamable-http-12', revision.version, 'the server speaks earlier revisions, which have GET and DELETE');
      for (const method of ['GET', 'DELETE']) {
        // Without a version, like a client that does not know the header.
        const reply = await conversation.bare(method, { accept: 'text/event-stream', 'mcp-protocol-version': undefined });
        if (!reply) continue;
        reply.cancel();
        conversation.check('streamable-http-12', reply.status === 405, 'HTTP 405', shownHead(reply), method);
      }
    },
  },
  {
    name: 'the end of a stream', rules: ['streamable-http-20', 'streamable-http-22'], over: 'http', era: 'modern', needs: 'a response on a stream',
    async run(bench, revision) {
      const { calls, conversation } = await bench.survey(revision);
      for (const { answer } of calls) {
        if (!answer.reply?.stream || answer.kind === 'silent') continue;
        const { reply } = answer;
        const ended = await Promise.race([reply.ended, new Promise<undefined>((resolve) => void bench.clock.after(1_500, () => resolve(undefined)))]);
        conversation.check('streamable-http-20', ended !== undefined, 'that the stream ends after its response', answer);
        if (ended === undefined) return reply.cancel();
      }
    },
  },
];

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
