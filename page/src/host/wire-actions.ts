import { recorder } from 'barewire/transcript';
import type { ActionName } from '../messages.ts';
import type { Handlers, LocalActionName } from './actions.ts';
import { differencesOf } from './compare.ts';
import { PageError } from './failure.ts';
import type { PageHost } from './page-host.ts';
import type { ServerEntry } from './server-entry.ts';
import { parsed } from './wire-log.ts';
import type { Tap } from 'barewire/tap';

type Names = Exclude<Extract<ActionName, `wire.${string}` | `hold.${string}` | `record.${string}`>, LocalActionName>;

/** Actions for the wire, step mode and recordings. Code that reads files is loaded at its first use. */
export function wireActions(page: PageHost): Pick<Handlers, Names> {
  const { wire, recordings } = page;

  function tapOf(entry: ServerEntry): Tap {
    if (!entry.tap || entry.state === 'resting' || entry.state === 'down' || entry.state === 'broken') {
      throw new PageError('not-connected', `${entry.name} is not connected`);
    }
    return entry.tap;
  }

  return {
    'wire.page': ({ from, limit = 1_000 }) => ({ entries: wire.page(from, Math.min(limit, 10_000)), memory: wire.memory }),
    'wire.text': ({ seq }) => ({ text: wire.whole(seq).text }),
    'wire.clear'() {
      wire.clear();
      page.tell({ type: 'wire-cleared', memory: wire.memory });
      return null;
    },
    'wire.transcript'({ server, from, to }) {
      const made = recorder();
      let text = '';
      for (const { entry, text: message } of wire.messages(server, from, to)) text += made.add(entry.direction === 'sent' ? 'client' : 'server', message);
      return { text };
    },
    async 'wire.share'({ server, from, to }) {
      const { shared } = await import('./sharing.ts');
      return shared(wire, server, from, to);
    },
    async 'wire.open'({ id }) {
      const { openFile } = await import('./opened-files.ts');
      return openFile(page, id);
    },
    'wire.compare': ({ left, right }) => ({ differences: differencesOf(parsed(wire.whole(left).text), parsed(wire.whole(right).text)) }),

    'hold.set'({ server, sent, received }) {
      const entry = page.entry(server);
      entry.holds = { sent: sent === true, received: received === true };
      entry.tap?.hold(entry.holds);
      page.holdChanged(server);
      return null;
    },
    'hold.next'({ server, direction, text }) {
      if (!tapOf(page.entry(server)).next(direction, text)) throw new PageError('dropped', 'nothing is held');
      return null;
    },
    'hold.drop'({ server, direction }) {
      if (!tapOf(page.entry(server)).drop(direction)) throw new PageError('dropped', 'nothing is held');
      return null;
    },
    'wire.inject'({ server, text, direction = 'sent' }) {
      const before = wire.memory.droppedEntries + wire.memory.entries;
      const went = tapOf(page.entry(server)).inject(String(text), direction);
      // Over HTTP it is sent in a later turn of the event loop.
      const entry = wire.page(before + 1, 100).find((one) => one.kind === 'message' && one.origin === 'injected');
      return { text: went, seq: entry?.seq ?? null };
    },

    'record.start'({ server, title = '' }) {
      page.entry(server);
      return { id: recordings.start(server, title || `A session with ${server}.`) };
    },
    'record.stop'({ id }) {
      recordings.stop(id);
      return null;
    },
    'record.load': async ({ title, text }) => ({ id: await recordings.load(title, String(text)) }),
    'record.text': ({ id }) => ({ text: recordings.text(id) }),
    'record.remove'({ id }) {
      recordings.remove(id);
      page.tell({ type: 'recording-removed', id });
      return null;
    },
    async 'record.replay'({ id, server, ignored = [] }, { signal }) {
      const { config } = page.entry(server);
      const transcript = await recordings.transcript(id);
      const { playAgainst } = await import('./replaying.ts');
      return playAgainst(transcript, (trace) => page.options.open(server, config, { trace, onStderr: () => {}, auth: page.logins.get(server)?.auth }), ignored, signal);
    },
    'record.compare': async ({ left, right, ignored = [] }) => ({ differences: await recordings.compare(left, right, ignored) }),
  };
}
