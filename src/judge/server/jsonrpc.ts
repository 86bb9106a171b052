import { batching } from '../../protocol/internal-exports.ts';
import { isObject } from '../../jsonrpc/internal-exports.ts';
import type { ServerProbe } from '../probe.ts';
import { goesOn } from './cancellation.ts';

/** A request that every server of the era answers. */
const easy = (modern: boolean): string => (modern ? 'server/discover' : 'ping');

export const jsonrpcProbes: readonly ServerProbe[] = [
  {
    name: 'an unknown method', rules: ['form-unknown-method', 'base-31', 'base-32', 'base-33'], era: 'legacy',
    async run(bench, revision) {
      const conversation = await bench.main(revision);
      const answer = await conversation.ask('judge/unknown');
      if (answer.kind === 'failed') return;
      conversation.check('form-unknown-method', answer.kind === 'error' && answer.code === -32601, 'error -32601', answer);
    },
  },
  {
    // 2025-11-25 basic/index#requests: an id is a string or an integer, and 0 is one.
    name: 'ids of both types', rules: ['base-70', 'base-33', 'base-65'],
    async run(bench, revision) {
      const conversation = await bench.main(revision);
      for (const id of ['judge-text', 0]) {
        for (const [method, rule] of [[easy(conversation.modern), 'base-70'], ['judge/unknown', 'base-33']] as const) {
          if (conversation.asked.some((one) => one.id === (method === 'judge/unknown' ? id : `${id}-0`))) continue;
          const own = method === 'judge/unknown' ? id : typeof id === 'string' ? `${id}-0` : -1;
          const from = conversation.arrivals.length;
          const answer = await conversation.ask(method, {}, { id: own, timeoutMs: 2_000 });
          const other = conversation.arrivals.slice(from).find(({ json }) => isObject(json) && !('method' in json) && json['id'] !== own);
          if (answer.kind === 'failed' && answer.arrival === undefined && other === undefined) continue;
          conversation.check(rule, answer.kind !== 'silent' && answer.arrival?.answers === answer.asked, `a response with the id ${JSON.stringify(own)}`, other ?? answer, answer.asked.text);
        }
      }
    },
  },
  {
    // 2025-11-25 basic/transports: messages are UTF-8. The id must come back unchanged.
    name: 'an id that is not ASCII', rules: ['base-60'],
    async run(bench, revision) {
      const conversation = await bench.main(revision);
      const from = conversation.arrivals.length;
      const answer = await conversation.ask(easy(conversation.modern), {}, { id: 'jüdge-✓-審判', timeoutMs: 2_000 });
      const other = conversation.arrivals.slice(from).find(({ json }) => isObject(json) && typeof json['id'] === 'string' && /^j.{1,4}dge-/.test(json['id']) && json['id'] !== answer.asked.id);
      if (answer.arrival?.answers === answer.asked) conversation.check('base-60', true, '', answer);
      else if (other) conversation.check('base-60', false, 'the id as it was sent, in UTF-8', other, answer.asked.text);
    },
  },
  {
    // 2025-11-25 basic/index#notifications: a further response before the answer to the next request can only answer the notification.
    name: 'an unknown notification', rules: ['base-62'],
    async run(bench, revision) {
      const conversation = await bench.main(revision);
      const from = conversation.arrivals.length;
      const reply = await conversation.tell('notifications/judge/unknown');
      const next = await goesOn(conversation);
      const answered = conversation.arrivals.slice(from).find(({ json, answers }) => isObject(json) && !('method' in json) && answers !== next.asked);
      if (next.kind !== 'result' || (reply && reply.status >= 400)) return;
      conversation.check('base-62', answered === undefined, 'no response to a notification', answered ?? next, '{"jsonrpc":"2.0","method":"notifications/judge/unknown"}');
    },
  },
  {
    // 2025-03-26 basic/index#batching.
    name: 'a batch', rules: ['base-19'],
    async run(bench, revision) {
      if (!batching(revision)) return;
      const conversation = await bench.main(revision);
      const [one, two] = [conversation.nextId(), conversation.nextId()];
      const text = JSON.stringify([{ jsonrpc: '2.0', id: one, method: 'ping' }, { jsonrpc: '2.0', id: two, method: 'ping' }]);
      const from = conversation.arrivals.length;
      void conversation.sendText(text);
      const got = (id: number) => conversation.until(({ json }) => isObject(json) && json['id'] === id && 'result' in json, 1_500, from);
      const [first, second] = await Promise.all([got(one), got(two)]);
      const came = conversation.arrivals.slice(from).map((arrival) => arrival.text).join('\n') || 'no answer in time';
      conversation.check('base-19', first !== undefined && second !== undefined, 'a result for each request of the batch', first && second ? first : came, text);
    },
  },
  {
    // JSON-RPC 2.0 section 5.1. In a separate conversation, since the server may end it.
    name: 'texts that are not messages', rules: ['form-parse-error', 'form-invalid-request', 'base-59', 'schema-7'], era: 'legacy', slow: true, apart: 'at once',
    async run(bench, revision) {
      const conversation = await bench.fresh(revision);
      for (const [text, code, rule] of [['{"jsonrpc":"2.0","id":71,', -32700, 'form-parse-error'], ['{"jsonrpc":"2.0","id":72,"judge":true}', -32600, 'form-invalid-request']] as const) {
        const from = conversation.arrivals.length;
        const reply = await conversation.sendText(text);
        const next = await goesOn(conversation);
        const error = conversation.arrivals.slice(from).find(({ json }) => isObject(json) && isObject(json['error']) && json['error']['code'] !== undefined);
        if (next.kind !== 'result') {
          conversation.check(rule, false, 'that the server goes on, and answers the next request', next, text);
          break;
        }
        const got = error && isObject(error.json) && isObject(error.json['error']) ? error.json['error']['code'] : undefined;
        // Silence is allowed, since the id of the request cannot be read.
        if (error) conversation.check(rule, got === code, `error ${code}`, error, text);
        else if (reply && reply.status >= 400) conversation.check(rule, true, '', `HTTP ${reply.status}`);
        else conversation.dispute(rule, `error ${code}`, 'nothing', text);
      }
      void conversation.close();
    },
  },
];
