import type { ServerProbe } from '../probe.ts';
import { handshake } from '../bench.ts';
import { unknownVersion } from '../http-demand.ts';

export const lifecycleProbes: readonly ServerProbe[] = [
  {
    name: 'ping', rules: ['ping-1'], era: 'legacy',
    async run(bench, revision) {
      const conversation = await bench.main(revision);
      const answer = await conversation.ask('ping');
      conversation.check('ping-1', answer.kind === 'result' && Object.keys(answer.result).every((key) => key === '_meta'), 'an empty result', answer);
    },
  },
  {
    // 2025-11-25 basic/lifecycle#version-negotiation: a version that no server has.
    name: 'a version that does not exist', rules: ['lifecycle-22', 'lifecycle-24'], era: 'legacy', slow: true, apart: 'at once',
    async run(bench, revision) {
      const conversation = await bench.raw(revision);
      const answer = await handshake(conversation, unknownVersion);
      const { protocolVersion: version } = answer.result;
      conversation.check('lifecycle-22', answer.kind === 'result' && typeof version === 'string' && version !== unknownVersion, 'a result with another version, which the server supports', answer);
      const [newest] = bench.spoken.filter(({ era }) => era === 'legacy');
      if (answer.kind === 'result' && bench.options.revisions === undefined) conversation.check('lifecycle-24', version === newest?.version, `the newest version that the server has: ${newest?.version}`, answer);
      void conversation.close();
    },
  },
];
