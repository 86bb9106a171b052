import { isProgram, readServers } from 'barewire/host';
import type { ServerConfig } from 'barewire/host';
import type { WireEntry } from '../messages.ts';
import type { Handlers, LocalActionName } from './actions.ts';
import { appActions } from './app-actions.ts';
import { curl } from './curl.ts';
import { failureOf, PageError } from './failure.ts';
import { importActions } from './import-actions.ts';
import type { Saving } from './options.ts';
import type { PageHost } from './page-host.ts';
import { savedCallActions } from './saved-call-actions.ts';
import { connect } from './server-actions.ts';

/** Valid names of servers: they are part of keys, of file names of pins and of tool names. */
const goodName = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u;

/** The actions of a local host, for `openTab`. */
export function localActions(page: PageHost): Pick<Handlers, LocalActionName> {
  const { host } = page;

  function savingOf(server: string): Saving {
    const { saving } = page.options;
    if (!saving || page.entry(server).source !== 'typed') throw new PageError('not-here', 'only a server that was typed in is kept, where there is a configuration');
    return saving;
  }

  return {
    ...importActions(page),
    ...savedCallActions(page),
    ...appActions(page),
    async 'server.add'({ name, target, trusted, era = 'auto', roots, tools }) {
      if (typeof name !== 'string' || !goodName.test(name)) {
        throw new PageError('bad-config', 'name: expected 1 to 64 letters, digits, spaces, ".", "_" or "-", the first a letter or a digit');
      }
      // No variables of the environment are substituted: the person's text is used unchanged.
      const config = readServers({ mcpServers: { [name]: { ...target, trusted, roots, tools } } }, () => undefined)[name] as ServerConfig;
      await page.add(name, config, era);
      // The server is added even if it cannot be started; its view says why it is down.
      await connect(page, name).catch((thrown: unknown) => page.trouble(name, thrown));
      return null;
    },
    'server.saving': ({ server }) => savingOf(server).propose(server, page.entry(server).config),
    'server.save'({ server, before }) {
      savingOf(server).save(server, page.entry(server).config, String(before));
      page.entry(server).source = 'configuration';
      page.changed(server);
      return null;
    },
    'server.credentials'({ server, env, headers }) {
      const entry = page.entry(server);
      const { config } = entry;
      const more = isProgram(config) ? { env: { ...config.env, ...env } } : { headers: { ...config.headers, ...headers } };
      // Validated like a configuration: a value that is not a string is rejected by its name.
      const kept = readServers({ mcpServers: { [server]: { ...config, ...more } } }, () => undefined)[server] as ServerConfig;
      entry.config = isProgram(config) ? { ...config, ...'env' in kept && { env: kept.env } } as ServerConfig : { ...config, ...'headers' in kept && { headers: kept.headers } } as ServerConfig;
      page.changed(server);
      return null;
    },
    async 'login.start'({ server }, { signal }) {
      const entry = page.entry(server);
      const { login } = page.options;
      if (!login || isProgram(entry.config)) throw new PageError('not-here', 'this server or this host has no login');
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
      return connect(page, server, signal);
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
    'wire.curl'({ seq }) {
      const { entry, text } = page.wire.whole(seq);
      const { config } = page.entry(entry.server);
      if (entry.kind !== 'message' || entry.direction !== 'sent' || isProgram(config)) throw new PageError('bad-params', 'curl cannot send this message: it did not go over HTTP');
      const head = page.wire.page(Math.max(1, seq - 200), 200).findLast((one): one is Extract<WireEntry, { kind: 'http' }> =>
        one.kind === 'http' && one.server === entry.server && one.connection === entry.connection && one.exchange === entry.exchange && one.status === null);
      return { text: curl(config.url, text, head?.headers) };
    },
  };
}
