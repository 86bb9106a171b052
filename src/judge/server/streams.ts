import { isObject } from '../../jsonrpc/internal-exports.ts';
import { ssePolling, streamableHttp } from '../../protocol/internal-exports.ts';
import { bounds } from '../bounds.ts';
import type { Arrival, JudgedConversation } from '../conversation.ts';
import type { ServerProbe } from '../probe.ts';
import type { SurveyedCall } from './survey.ts';

/** The events of an exchange, with or without a message. */
const eventsOf = ({ entries }: JudgedConversation, exchange: number) => entries.flatMap((entry, at) => {
  if (entry.kind === 'http' || entry.exchange !== exchange || entry.direction === 'sent') return [];
  return entry.kind === 'event' ? [{ ...entry.event, data: entry.data, at }] : entry.event ? [{ ...entry.event, data: entry.text, at }] : [];
});

/** 2025-11-25 basic/transports#resumability-and-redelivery. */
export const streamProbes: readonly ServerProbe[] = [
  {
    name: 'the first event of a stream', rules: ['transports-29', 'transports-12', 'transports-22', 'transports-28'], over: 'http', era: 'legacy', needs: 'a response on a stream',
    async run(bench, revision) {
      const { conversation, calls } = await bench.survey(revision);
      for (const { answer } of calls) {
        const { reply } = answer;
        if (!reply?.stream) continue;
        conversation.check(['transports-22', 'transports-28'], answer.kind === 'result' || answer.kind === 'error', 'the response to the request, before the stream ends', answer);
        const [first] = eventsOf(conversation, reply.exchange);
        // A server without resumption sends no ids.
        if (ssePolling(revision) && first?.id !== undefined) conversation.check('transports-29', first.data === '', 'an event with an id and no data first', JSON.stringify(first), answer.asked.text);
      }
    },
  },
  {
    name: 'a stream that is resumed', rules: ['transports-14', 'transports-11', 'transports-12'], over: 'http', era: 'legacy', slow: true, needs: 'a server whose events have ids',
    async run(bench, revision) {
      const { conversation, calls } = await bench.survey(revision);
      const [one] = calls.filter(({ answer }) => answer.reply?.stream && eventsOf(conversation, answer.reply.exchange).some(({ id }) => id !== undefined && id !== ''));
      if (!one?.answer.reply) return;
      const events = eventsOf(conversation, one.answer.reply.exchange);
      const [first] = events.filter(({ id }) => id !== undefined && id !== '');
      const from = conversation.arrivals.length;
      const reply = await conversation.bare('GET', { accept: 'text/event-stream', 'last-event-id': first?.id ?? '' });
      if (!reply?.stream) return reply?.cancel();
      const came = await conversation.until(({ exchange }) => exchange === reply.exchange, 1_500, from);
      if (came) await new Promise<void>((resolve) => void bench.clock.after(200, resolve));
      reply.cancel();
      const own = new Set(events.map(({ data }) => data));
      for (const one of conversation.arrivals.slice(from).filter(({ exchange }) => exchange === reply.exchange)) {
        conversation.check(['transports-14', 'transports-11'], own.has(one.text), 'only messages of the stream that Last-Event-ID names', one, `GET, Last-Event-ID: ${first?.id}`);
      }
    },
  },
  {
    // 2025-11-25 basic/transports#multiple-connections, #listening-for-messages-from-the-server. The messages are judged in passing.
    name: 'calls beside open streams', rules: ['transports-4', 'transports-6', 'transports-7', 'lifecycle-13'], over: 'http', era: 'legacy', slow: true, needs: 'a server with GET streams, and tools that may be called',
    async run(bench, revision) {
      if (!streamableHttp(revision)) return;
      const { calls } = await bench.survey(revision);
      const conversation = await bench.fresh(revision);
      const streams = [await conversation.bare('GET', { accept: 'text/event-stream' }), await conversation.bare('GET', { accept: 'text/event-stream' })].filter((one) => one?.stream);
      if (streams.length > 0) {
        const from = conversation.arrivals.length;
        // Tools that sent notifications come first; the notifications of the others may have had no stream until now.
        const asks = ({ between }: SurveyedCall): boolean => between.some(({ json }) => isObject(json) && typeof json['method'] === 'string' && json['id'] !== undefined);
        const quick = calls.filter((one) => (one.answer.kind === 'result' || one.answer.kind === 'failed') && one.ms < 1_000 && !asks(one));
        const says = ({ between }: SurveyedCall): boolean => between.some(({ json, answers }) => answers === undefined && isObject(json));
        for (const { tool, arguments: given } of [...quick.filter(says), ...quick.filter((one) => !says(one))].slice(0, 12)) {
          await conversation.ask('tools/call', { name: tool['name'], arguments: given }, { meta: { progressToken: `judge-beside-${conversation.nextId()}` }, timeoutMs: bounds.callMs });
        }
        const [one] = streams;
        const onGet = (arrival: Arrival): boolean => streams.some((stream) => stream?.exchange === arrival.exchange);
        // Different streams have no fixed order: messages of the calls may still be on their way.
        await conversation.until(onGet, 300, from);
        const came = conversation.arrivals.slice(from);
        if (one && !came.some((arrival) => onGet(arrival) && arrival.answers)) conversation.check('transports-4', true, '', 'no response on the GET stream');
        if (one && came.some((arrival) => !onGet(arrival) && !arrival.answers) && !came.some((arrival) => onGet(arrival) && isObject(arrival.json) && arrival.json['method'] === 'notifications/progress')) conversation.check('transports-6', true, '', 'nothing of a request on the GET stream');
        for (const arrival of came.filter(onGet)) {
          const twin = came.find((other) => other !== arrival && other.text === arrival.text && other.exchange !== arrival.exchange);
          // Two events may have the same text.
          if (twin) conversation.dispute('transports-7', 'a message on one stream only', arrival);
          else conversation.check('transports-7', true, '', arrival);
        }
      }
      for (const stream of streams) stream?.cancel();
      void conversation.close();
    },
  },
];
