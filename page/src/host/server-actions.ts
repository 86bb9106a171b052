import { isProgram, readServers } from 'barewire/host';
import type { ServerConfig } from 'barewire/host';
import type { ActionName } from '../messages.ts';
import type { Handlers } from './actions.ts';
import { failureOf, PageError } from './failure.ts';
import type { PageHost } from './page-host.ts';

type Names = Extract<ActionName, `server.${string}` | `login.${string}` | 'doctor.run' | 'memory' | 'log.clear' | 'activity.export' | `grants.${string}` | 'question.answer'>;

/** The names of servers: they stand in keys, in file names of pins and in the names of tools. */
const goodName = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u;

/** What concerns servers as a whole, and the person. */
export function serverActions(page: PageHost): Pick<Handlers, Names> {
  const { host } = page;

  async function connect(name: string, signal?: AbortSignal): Promise<null> {
    page.entry(name);
    await host.connect(name, signal);
    await host.refresh(name);
    return null;
  }

  return {
    async 'server.add'({ name, target, trusted, era = 'auto', roots }) {
      if (!page.options.add) throw new PageError('not-here', 'this host takes no more servers');
      if (typeof name !== 'string' || !goodName.test(name)) {
        throw new PageError('bad-config', 'name: expected 1 to 64 letters, digits, spaces, ".", "_" or "-", the first a letter or a digit');
      }
      // Nothing of the process's environment is put in: what is typed in is what it is.
      const config = readServers({ mcpServers: { [name]: { ...target, trusted, roots } } }, () => undefined)[name] as ServerConfig;
      await page.add(name, config, era);
      // It is there, whether or not it can be started: the view says why it is down.
      await connect(name).catch((thrown: unknown) => page.trouble(name, thrown));
      return null;
    },
    async 'server.remove'({ server }) {
      await page.remove(server);
      return null;
    },
    'server.connect': ({ server }, { signal }) => connect(server, signal),
    async 'server.stop'({ server }) {
      page.entry(server);
      await host.stop(server);
      return null;
    },
    async 'server.reconnect'({ server, era }, { signal }) {
      const entry = page.entry(server);
      if (era !== undefined) entry.era = era;
      await host.stop(server);
      return connect(server, signal);
    },
    async 'server.ping'({ server }, { signal }) {
      const entry = page.entry(server);
      const client = await host.connect(server, signal);
      const began = performance.now();
      // A result that is kept says nothing of the way.
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
      return null;
    },
    'server.credentials'({ server, env, headers }) {
      const entry = page.entry(server);
      const { config } = entry;
      const more = isProgram(config) ? { env: { ...config.env, ...env } } : { headers: { ...config.headers, ...headers } };
      // Read as a configuration is, so that what is no text is refused by its name.
      const kept = readServers({ mcpServers: { [server]: { ...config, ...more } } }, () => undefined)[server] as ServerConfig;
      entry.config = isProgram(config) ? { ...config, ...'env' in kept && { env: kept.env } } as ServerConfig : { ...config, ...'headers' in kept && { headers: kept.headers } } as ServerConfig;
      page.changed(server);
      return null;
    },
    async 'server.roots'({ server, roots }) {
      const entry = page.entry(server);
      const { roots: read = [] } = readServers({ mcpServers: { [server]: { command: 'x', roots } } }, () => undefined)[server] as ServerConfig;
      await host.setRoots(server, read);
      entry.config = { ...entry.config, roots: read };
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

    async 'doctor.run'({ server }, { signal }) {
      const { config } = page.entry(server);
      const { doctor } = page.options;
      if (!doctor) throw new PageError('not-here', 'this host has no doctor');
      return { findings: await doctor(server, config, (finding) => page.tell({ type: 'finding', server, finding }), signal) };
    },
    async 'login.start'({ server }, { signal }) {
      const entry = page.entry(server);
      const { login } = page.options;
      if (!login || isProgram(entry.config)) throw new PageError('not-here', 'nobody can log in here');
      const made = login(server, entry.config.url, (step) => page.step({ ...step, server, at: Date.now() }));
      page.logins.set(server, made);
      entry.login = 'under-way';
      page.changed(server);
      try {
        await host.stop(server);
        await made.authorize(signal);
        entry.login = 'done';
        page.step({ server, at: Date.now(), step: 'done', what: 'logged in', details: {}, url: null });
      } catch (thrown) {
        entry.login = 'needed';
        page.logins.delete(server);
        const { code, message } = failureOf(thrown);
        page.step({ server, at: Date.now(), step: 'failed', what: message, details: { code: String(code) }, url: null });
        throw thrown;
      }
      return connect(server, signal);
    },
    async 'login.forget'({ server }) {
      const entry = page.entry(server);
      await page.logins.get(server)?.signOut();
      page.logins.delete(server);
      entry.login = 'none';
      await host.stop(server);
      page.changed(server);
      return null;
    },

    'log.clear'() {
      page.logs.clear();
      return null;
    },
    async 'activity.export'() {
      await host.flushed();
      return { text: page.activity.last().map(({ line }) => `${line}\n`).join('') };
    },
    memory() {
      const { residentBytes = null, heapBytes = null } = page.options.memory?.() ?? {};
      return { wire: page.wire.memory, residentBytes, heapBytes };
    },
  };
}

