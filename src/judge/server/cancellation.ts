import { isObject } from '../../jsonrpc/internal-exports.ts';
import type { Bench } from '../bench.ts';
import type { ReceivedAnswer, Arrival, JudgedConversation } from '../conversation.ts';
import type { ServerProbe } from '../probe.ts';
import { bounds } from '../bounds.ts';

/** Sends a request that every server answers, to see that the server goes on. */
export const goesOn = (conversation: JudgedConversation): Promise<ReceivedAnswer> => conversation.ask(conversation.modern ? 'server/discover' : 'ping');

const isQuestion = ({ json }: Arrival): boolean => isObject(json) && typeof json['method'] === 'string' && json['id'] !== undefined;

const errorIn = (arrivals: readonly Arrival[]): Arrival | undefined => arrivals.find(({ json }) => isObject(json) && isObject(json['error']));

async function ignored(bench: Bench, revision: Parameters<Bench['main']>[0], rules: readonly string[], params: Record<string, unknown>, expected: string): Promise<void> {
  const conversation = await bench.main(revision);
  const from = conversation.arrivals.length;
  const reply = await conversation.tell('notifications/cancelled', params);
  const next = await goesOn(conversation);
  const fault = errorIn(conversation.arrivals.slice(from));
  const sent = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
  if (reply && reply.status >= 400) conversation.dispute(rules[0] ?? '', expected, `HTTP ${reply.status} ${reply.body.slice(0, 400)}`, sent);
  else conversation.check(rules, fault === undefined && next.kind === 'result', expected, fault ?? next, sent);
}

/** Milliseconds in which a response may cross the cancellation. */
const crossingMs = 500;

export const cancellationProbes: readonly ServerProbe[] = [
  {
    // 2025-11-25 basic/utilities/cancellation#error-handling. Over HTTP the modern era has no such notification.
    name: 'cancellations without a running request', rules: ['cancellation-13', 'cancellation-14', 'cancellation-15', 'cancellation-22'],
    async run(bench, revision) {
      const conversation = await bench.main(revision);
      if (conversation.modern && conversation.kind === 'http') return;
      await ignored(bench, revision, ['cancellation-15'], { requestId: 987_654, reason: 'no such request' }, 'no answer: the request is unknown');
      const finished = await goesOn(conversation);
      await ignored(bench, revision, ['cancellation-13', 'cancellation-22'], { requestId: finished.asked.id, reason: 'too late' }, 'no answer: the request is finished');
      if (revision.place !== 3) await ignored(bench, revision, ['cancellation-14'], { requestId: { judge: true } }, 'no answer: the cancellation is malformed');
    },
  },
  {
    // 2025-11-25 basic/utilities/cancellation#behavior-requirements.
    name: 'a cancelled call', rules: ['cancellation-9', 'cancellation-10', 'cancellation-3', 'stdio-8'], slow: true, needs: 'a tool that may be called and takes longer than a second: slowTool of judge.json',
    async run(bench, revision) {
      const { calls, conversation } = await bench.survey(revision);
      const slow = calls.find(({ first, ms }) => first.kind === 'silent' || ms > 1_000);
      if (!slow || (conversation.modern && conversation.kind === 'http')) return;
      const going = conversation.ask('tools/call', { name: slow.tool['name'], arguments: slow.arguments }, { meta: { progressToken: 'judge-cancelled' }, timeoutMs: bounds.cancelMs });
      const id = conversation.asked.at(-1)?.id;
      await goesOn(conversation);
      await conversation.tell('notifications/cancelled', { requestId: id, reason: 'the judge cancels it' });
      await goesOn(conversation);
      const mark = conversation.arrivals.length;
      const began = bench.clock.monotonic();
      const answer = await going;
      const after = bench.clock.monotonic() - began;
      const late = conversation.arrivals.slice(mark).find((one) => one.answers?.id === id || isObject(one.json) && isObject(one.json['params']) && one.json['params']['progressToken'] === 'judge-cancelled');
      const sent = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
      if (answer.kind === 'failed') return;
      // A response may cross the cancellation: only a response well after it is a fault.
      if (answer.arrival && after < crossingMs) return;
      conversation.check(['cancellation-9', 'stdio-8'], answer.kind === 'silent' || answer.arrival === undefined, 'no response to a cancelled request', answer, sent);
      conversation.check('cancellation-10', late === undefined, 'nothing more of the cancelled request', late ?? answer, sent);
    },
  },
  {
    // 2025-11-25 basic/utilities/cancellation#behavior-requirements: a server that gives up its own question cancels that question. Its
    // notification is judged in passing.
    name: 'a call that is cancelled while the server asks', rules: ['cancellation-4', 'cancellation-5', 'schema-2'], era: 'legacy', slow: true, apart: 'surveyed',
    needs: 'a tool that may be called and asks: askingTool of judge.json',
    async run(bench, revision) {
      const { calls } = await bench.survey(revision);
      const one = calls.find(({ between }) => between.some(isQuestion));
      if (!one) return;
      const conversation = await bench.fresh(revision, { question: () => undefined });
      const from = conversation.arrivals.length;
      void conversation.ask('tools/call', { name: one.tool['name'], arguments: one.arguments }, { timeoutMs: bounds.callMs });
      const id = conversation.asked.at(-1)?.id;
      const question = await conversation.until(isQuestion, 1_500, from);
      if (question) {
        await conversation.tell('notifications/cancelled', { requestId: id, reason: 'the judge cancels it' });
        await conversation.until(({ json }) => isObject(json) && json['method'] === 'notifications/cancelled', 700, from);
      }
      void conversation.close();
    },
  },
  {
    // 2025-11-25 basic/utilities/cancellation#behavior-requirements: an answered question is no longer in progress.
    name: 'a call that is cancelled after its question was answered', rules: ['cancellation-4'], era: 'legacy', slow: true, apart: 'surveyed',
    needs: 'a tool that may be called, asks, and works on for more than a second',
    async run(bench, revision) {
      const { calls } = await bench.survey(revision);
      const one = calls.find(({ between, ms }) => ms > 2 * crossingMs && between.filter(isQuestion).length === 1);
      if (!one) return;
      const conversation = await bench.fresh(revision);
      void conversation.ask('tools/call', { name: one.tool['name'], arguments: one.arguments }, { timeoutMs: bounds.callMs });
      const [id, from] = [conversation.asked.at(-1)?.id, conversation.arrivals.length];
      const question = await conversation.until(isQuestion, 1_500, from);
      if (!question || !isObject(question.json)) return void conversation.close();
      // The answer was sent by now, and has arrived.
      const { id: asked } = question.json;
      if (!await conversation.until(({ answers }) => answers?.id === id, crossingMs, from)) {
        await conversation.tell('notifications/cancelled', { requestId: id, reason: 'the judge cancels it' });
        const late = await conversation.until(({ json }) => isObject(json) && json['method'] === 'notifications/cancelled' && isObject(json['params']) && json['params']['requestId'] === asked, 700, from);
        conversation.check('cancellation-4', late === undefined, `no cancellation of the question ${JSON.stringify(asked)}, which was answered`, late ?? 'nothing');
      }
      void conversation.close();
    },
  },
];
