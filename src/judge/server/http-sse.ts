import type { ServerProbe } from '../probe.ts';
import { goesOn } from './cancellation.ts';

const needs = 'an address of HTTP+SSE';

export const httpSseProbes: readonly ServerProbe[] = [
  {
    // 2024-11-05 basic/transports#http-with-sse.
    name: 'the two endpoints of HTTP+SSE', era: 'legacy', needs, rules: ['transports-15', 'transports-16', 'transports-17', 'transports-18'],
    async run(bench, revision) {
      if (!bench.sse || revision.place !== 0) return;
      const conversation = await bench.main(revision);
      const [opening] = bench.openings;
      if (!opening) return;
      const shown = `HTTP ${opening.status} ${opening.type}\n${opening.first}`;
      conversation.check('transports-17', opening.type.startsWith('text/event-stream'), 'an event stream', shown, 'GET');
      conversation.check('transports-18', opening.endpoint !== undefined, 'an event endpoint first, with the address to post to', shown, 'GET');
      const answer = await goesOn(conversation);
      conversation.check(['transports-15', 'transports-16'], answer.kind === 'result', 'the response on the stream to what was posted to the endpoint', answer);
    },
  },
];
