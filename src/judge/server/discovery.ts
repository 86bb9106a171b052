import { isObject } from '../../jsonrpc/internal-exports.ts';
import { capabilitiesKey, subscriptionKey, versionKey } from '../../protocol/internal-exports.ts';
import type { ReceivedAnswer } from '../conversation.ts';
import type { ServerProbe } from '../probe.ts';

const isStatus = (answer: ReceivedAnswer, status: number): boolean => answer.reply === undefined || answer.reply.status === status;

/** Rules of 2026-07-28 about each request. */
export const discoveryProbes: readonly ServerProbe[] = [
  {
    // 2026-07-28 basic/index#_meta: a request without the client's capabilities is malformed.
    name: 'a request without a required field', rules: ['base-4', 'base-14'], era: 'modern',
    async run(bench, revision) {
      const conversation = await bench.main(revision);
      const answer = await conversation.ask('server/discover', {}, { meta: { [capabilitiesKey]: undefined } });
      if (answer.kind !== 'result' && answer.kind !== 'error') return;
      conversation.check('base-4', answer.kind === 'error' && answer.code === -32602, `error -32602: ${capabilitiesKey} is missing`, answer);
      if (answer.reply) conversation.check('base-14', answer.reply.status === 400, 'HTTP 400', `HTTP ${answer.reply.status} ${answer.came}`, answer.asked.text);
    },
  },
  {
    // 2026-07-28 basic/versioning#protocol-version-negotiation.
    name: 'a version that does not exist', rules: ['versioning-7', 'streamable-http-17', 'base-14'], era: 'modern',
    async run(bench, revision) {
      const conversation = await bench.main(revision);
      const answer = await conversation.ask('server/discover', {}, { meta: { [versionKey]: '2099-01-01' }, headers: { 'mcp-protocol-version': '2099-01-01' } });
      if (answer.kind !== 'result' && answer.kind !== 'error') return;
      const supported = isObject(answer.data) ? answer.data['supported'] : undefined;
      const kept = answer.kind === 'error' && answer.code === -32022 && Array.isArray(supported) && supported.includes(revision.version);
      conversation.check('versioning-7', kept, `error -32022 with data.supported, which has ${revision.version}`, answer);
      if (answer.reply) conversation.check(['streamable-http-17', 'base-14'], kept && isStatus(answer, 400), 'HTTP 400 with error -32022', `HTTP ${answer.reply.status} ${answer.came}`, answer.asked.text);
    },
  },
  {
    name: 'an unknown method', rules: ['streamable-http-16', 'form-unknown-method', 'base-2'], era: 'modern',
    async run(bench, revision) {
      const conversation = await bench.main(revision);
      const answer = await conversation.ask('judge/unknown');
      if (answer.kind === 'silent') return;
      conversation.check('base-2', answer.kind === 'error', 'an error for an unknown method', answer);
      conversation.check('form-unknown-method', answer.kind === 'error' && answer.code === -32601, 'error -32601', answer);
      if (answer.reply) conversation.check('streamable-http-16', answer.kind === 'error' && answer.code === -32601 && isStatus(answer, 404), 'HTTP 404 with error -32601', `HTTP ${answer.reply.status} ${answer.came}`, answer.asked.text);
    },
  },
  {
    // 2026-07-28 basic/versioning#backward-compatibility-with-initialization-based-versions.
    name: 'initialize of a modern server', rules: ['versioning-1'], era: 'modern', slow: true, apart: 'at once', needs: 'a server that speaks 2026-07-28 only',
    async run(bench, revision) {
      if (bench.spoken.some(({ era }) => era === 'legacy')) return bench.ledger.notApplicable('versioning-1', revision.version, 'the server speaks earlier revisions, too');
      const conversation = await bench.raw(revision);
      // If the server speaks an earlier revision after all, its answer does not belong to this one.
      conversation.hold();
      const answer = await conversation.askText({
        id: 1, method: 'initialize', params: {},
        text: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'barewire-judge', version: '1' } } }),
      }, { headers: { 'mcp-protocol-version': undefined } });
      conversation.release(answer.kind === 'error');
      const named = [revision.version, ...bench.named];
      if (answer.kind === 'error') conversation.check('versioning-1', named.some((version) => answer.came.includes(version)), `an error that names a version of the server: ${named.join(', ')}`, answer);
      void conversation.close();
    },
  },
  {
    // 2026-07-28 basic/patterns/subscriptions.
    name: 'a subscription', rules: ['subscriptions-2', 'base-15', 'subscriptions-5', 'subscriptions-3'], era: 'modern', needs: 'a server with subscriptions',
    async run(bench, revision) {
      const conversation = await bench.main(revision);
      const from = conversation.arrivals.length;
      const going = conversation.ask('subscriptions/listen', { notifications: { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true } }, { timeoutMs: Math.min(bench.callMs, 1_500) });
      const asked = conversation.asked.at(-1);
      const isOf = (json: unknown): boolean => isObject(json) && isObject(json['params']) && isObject(json['params']['_meta']) && String(json['params']['_meta'][subscriptionKey]) === String(asked?.id);
      const first = await conversation.until(({ json, answers }) => answers === asked || isOf(json) || isObject(json) && json['method'] === 'notifications/subscriptions/acknowledged', 1_500, from);
      if (first && first.answers !== asked) {
        const acknowledged = isObject(first.json) && first.json['method'] === 'notifications/subscriptions/acknowledged' && isOf(first.json);
        conversation.check('subscriptions-2', acknowledged, `notifications/subscriptions/acknowledged first, with ${subscriptionKey} in its _meta`, first, asked?.text);
        conversation.check('base-15', isOf(first.json), `${subscriptionKey} in the _meta of each message of a subscription`, first, asked?.text);
      }
      if (conversation.kind === 'pipe') await conversation.tell('notifications/cancelled', { requestId: asked?.id });
      await going;
    },
  },
];
