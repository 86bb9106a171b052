import type { ServerProbe } from '../probe.ts';

/** A program that still runs this many milliseconds after its input ended had to be told to. */
const promptMs = 1_900;

export const stdioProbes: readonly ServerProbe[] = [
  {
    // 2025-11-25 basic/lifecycle#shutdown: a server exits when its input ends. Twice, since a machine may be busy.
    name: 'the end of its input', rules: ['stdio-10'], over: 'pipe', slow: true,
    async run(bench, revision) {
      // Of all revisions it is the same program.
      if (revision !== bench.spoken[0] || bench.sse) return;
      let last = 0;
      for (let time = 0; time < 2; time++) {
        const conversation = await bench.raw(revision);
        const opened = await conversation.ask(conversation.modern ? 'server/discover' : 'initialize', conversation.modern ? {} : { protocolVersion: revision.version, capabilities: {}, clientInfo: { name: 'barewire-judge', version: '1' } });
        last = await conversation.close();
        if (last < promptMs) return conversation.check('stdio-10', true, '', opened);
        if (time === 1) conversation.check('stdio-10', false, 'that the server exits once its input ends', `it still ran ${Math.round(last)} ms after its stdin was closed, and had to be ended`);
      }
    },
  },
];
