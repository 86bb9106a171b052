import type { Probe } from '../probe.ts';

export const jsonrpcProbes: readonly Probe[] = [
  {
    name: 'an unknown method', rules: ['form-unknown-method'], era: 'legacy',
    async run(bench, revision) {
      const conversation = await bench.main(revision);
      const answer = await conversation.ask('judge/unknown');
      conversation.check('form-unknown-method', answer.kind === 'error' && answer.code === -32601, 'error -32601', answer);
    },
  },
  {
    // 2025-11-25 basic/index#notifications: what comes before the answer to the next request would be an answer to it.
    name: 'an unknown notification', rules: ['base-62'],
    async run(bench, revision) {
      const conversation = await bench.main(revision);
      const from = conversation.arrivals.length;
      const reply = await conversation.tell('notifications/judge/unknown');
      const next = await conversation.ask(conversation.modern ? 'server/discover' : 'ping');
      const between = conversation.arrivals.slice(from).find(({ json, answers }) => typeof json === 'object' && json !== null && !('method' in json) && answers !== next.asked);
      const answered = between && conversation.kind === 'pipe';
      if (reply && reply.status >= 400) return;
      if (next.kind === 'result' || answered) conversation.check('base-62', !answered, 'no response to a notification', between ?? next, '{"jsonrpc":"2.0","method":"notifications/judge/unknown"}');
    },
  },
];
