import type { ActionName } from '../messages.ts';
import type { Handlers, LocalActionName } from './actions.ts';
import { failureOf, PageError } from './failure.ts';
import type { PageHost } from './page-host.ts';

type Names = Exclude<Extract<ActionName, `server.${string}` | 'memory' | 'doctor.run' | 'judge.run' | 'log.clear' | 'activity.export' | `grants.${string}` | 'question.answer'>, LocalActionName>;

/** Actions for servers as a whole, and for questions, grants and logs. Doctor and judge are loaded at their first use. */
export function serverActions(page: PageHost): Pick<Handlers, Names> {
  const { host } = page;

  return {
    async 'server.remove'({ server }) {
      await page.remove(server);
      return null;
    },
    async 'server.connect'({ server }, { signal }) {
      try {
        return await connect(page, server, signal);
      } catch (thrown) {
        if (page.entry(server).login === 'needed') throw new PageError('login-needed', failureOf(thrown).message);
        throw thrown;
      }
    },
    async 'server.stop'({ server }) {
      page.entry(server);
      await host.stop(server);
      return null;
    },
    async 'server.reconnect'({ server, era }, { signal }) {
      const entry = page.entry(server);
      if (era !== undefined) entry.era = era;
      await host.stop(server);
      await connect(page, server, signal);
      return { revision: entry.agreed?.revision ?? null };
    },
    async 'server.ping'({ server }, { signal }) {
      const entry = page.entry(server);
      const client = await host.connect(server, signal);
      const began = performance.now();
      // Not from a cache: a stored result does not measure the connection.
      await client.ping({ signal, fresh: true });
      const ms = Math.round((performance.now() - began) * 10) / 10;
      entry.latencyMs = ms;
      page.changed(server);
      return { ms };
    },
    'server.trust'({ server, trusted }) {
      const entry = page.entry(server);
      host.trust(server, trusted === true);
      entry.config = { ...entry.config, trusted: trusted === true };
      page.changed(server);
      // The rules may offer other tools of a trusted server.
      page.listAgain(server);
      return null;
    },
    async 'server.roots'({ server, roots }) {
      const entry = page.entry(server);
      // 2025-11-25 client/roots#data-types: a root is a file:// URI.
      if (!Array.isArray(roots) || !roots.every(({ uri }) => typeof uri === 'string' && uri.startsWith('file://'))) {
        throw new PageError('bad-params', 'roots: expected a list of { uri, name? }, each a file:// URI');
      }
      await host.setRoots(server, roots);
      entry.config = { ...entry.config, roots };
      page.changed(server);
      return null;
    },
    async 'server.logLevel'({ server, level }) {
      const entry = page.entry(server);
      entry.logLevel = level;
      await entry.ready?.setLogLevel(level);
      page.changed(server);
      return null;
    },
    async 'server.refresh'({ server }) {
      page.entry(server);
      await host.refresh(server);
      return null;
    },

    'question.answer'({ question, answer }, { tab }) {
      page.questions.answer(question, answer, tab);
      return null;
    },
    async 'grants.list'() {
      return (await host.grants()).map(({ server, tool, at }) => ({ server, tool, at }));
    },
    async 'grants.revoke'({ server, tool }) {
      return { count: await host.revoke((grant) => grant.server === server && grant.tool === tool) };
    },

    'log.clear'() {
      page.logs.clear();
      return null;
    },
    async 'activity.export'() {
      await host.flushed();
      return { text: page.activity.last().map(({ line }) => `${line}\n`).join('') };
    },
    async 'doctor.run'({ server }) {
      const { examine } = await import('./examining.ts');
      return { findings: await examine(page, server, (finding) => page.tell({ type: 'finding', server, finding })) };
    },
    async 'judge.run'({ server, quick }) {
      const { judge } = await import('./judging.ts');
      return judge(page, server, quick !== false);
    },
    memory() {
      const { residentBytes = null, heapBytes = null } = page.options.memory?.() ?? {};
      return { wire: page.wire.memory, residentBytes, heapBytes };
    },
  };
}

/** Connects to a server, and lists it. */
export async function connect(page: PageHost, name: string, signal?: AbortSignal): Promise<null> {
  page.entry(name);
  await page.host.connect(name, signal);
  await page.host.refresh(name);
  return null;
}
