import { ssePolling } from '../../protocol/door.ts';
import type { JudgedConversation } from '../conversation.ts';
import type { ServerProbe } from '../probe.ts';

/** The events of an exchange: those with a message, and those without. */
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
        // A server without resumption gives no ids at all.
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
      reply.cancel();
      const own = new Set(events.map(({ data }) => data));
      if (came) conversation.check(['transports-14', 'transports-11'], own.has(came.text), 'only messages of the stream that Last-Event-ID names', came, `GET, Last-Event-ID: ${first?.id}`);
    },
  },
];
