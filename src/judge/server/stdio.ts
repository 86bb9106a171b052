import { isObject } from '../../jsonrpc/internal-exports.ts';
import type { Revision } from '../../protocol/index.ts';
import type { Bench } from '../bench.ts';
import type { ReceivedAnswer } from '../conversation.ts';
import type { ServerProbe } from '../probe.ts';

/** A program that still runs this many milliseconds after the end of its input did not exit by itself. */
const promptMs = 1_900;

/** Ends the input of a server, with or without an open subscription; resolves with the milliseconds until it has ended. */
async function ended(bench: Bench, revision: Revision, subscribed: boolean): Promise<{ readonly ms: number; readonly opened: ReceivedAnswer }> {
  const conversation = await bench.raw(revision);
  const opened = await conversation.ask(conversation.modern ? 'server/discover' : 'initialize', conversation.modern ? {} : { protocolVersion: revision.version, capabilities: {}, clientInfo: { name: 'barewire-judge', version: '1' } });
  if (subscribed) {
    void conversation.ask('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const asked = conversation.asked.at(-1);
    await conversation.until(({ json, answers }) => answers === asked || isObject(json) && json['method'] === 'notifications/subscriptions/acknowledged', 1_000);
  }
  return { ms: await conversation.close(), opened };
}

export const stdioProbes: readonly ServerProbe[] = [
  {
    // 2026-07-28 basic/transports/stdio#shutdown: a server exits when its input ends. Tried twice, since a machine may be busy. A
    // subscription keeps a runtime from ending by itself.
    name: 'the end of its input', rules: ['stdio-10'], over: 'pipe', slow: true,
    async run(bench, revision) {
      // The program is the same in all revisions.
      if (revision !== bench.spoken[0] || bench.sse) return;
      const main = await bench.main(revision);
      for (const subscribed of revision.era === 'modern' ? [false, true] : [false]) {
        let last = await ended(bench, revision, subscribed);
        if (last.ms >= promptMs) last = await ended(bench, revision, subscribed);
        const prompt = last.ms < promptMs;
        main.check('stdio-10', prompt, 'that the server exits once its input ends', prompt ? last.opened : `it still ran ${Math.round(last.ms)} ms after its stdin was closed${subscribed ? ', with a subscription open' : ''}, and had to be killed`);
        if (!prompt) return;
      }
    },
  },
];
