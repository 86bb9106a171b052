import { join } from 'node:path';
import { isProgram } from '../host/index.ts';
import type { ServerConfig, TransportHooks } from '../host/index.ts';
import { openServer as openPlain } from '../host/node/index.ts';
import type { OAuth } from '../oauth/index.ts';
import { httpTrace, httpTransport } from '../transport/http/fetch/index.ts';
import type { HttpAuthorization, HttpTrace } from '../transport/http/fetch/index.ts';
import type { ClientTransport } from '../transport/internal-exports.ts';
import { socketTransport } from '../transport/socket/node/index.ts';
import { stdioTransport } from '../transport/stdio/index.ts';
import { homeFolder } from './configuration.ts';
import type { CommandProcess } from './command-process.ts';
import { isSocket, socketPath } from './socket-target.ts';

/** The name under which logins are kept, and the authorization server knows this program. */
export const clientName = 'barewire';

/** Where the tokens of this user are. */
export const loginFile = (env: CommandProcess['env']): string => join(homeFolder(env), 'oauth.json');

/** `wire` sees all that passes over HTTP, messages too, instead of `trace`. */
export interface OpenHooks extends TransportHooks {
  readonly wire?: HttpTrace;
  /** Milliseconds in which a program has to end once its stdin is closed. */
  readonly graceMs?: number | undefined;
}

/** Opens servers as `openServer` of the host does, with the stored login of an address that has one. */
export const serverOpener = (env: CommandProcess['env']) => (name: string, config: ServerConfig, { trace, wire, onStderr, graceMs }: OpenHooks): ClientTransport => {
  if (isProgram(config) && graceMs !== undefined) {
    const { command, args = [], env: own, cwd } = config;
    return stdioTransport(command, [...args], { trace, onStderr, graceMs, ...own && { env: { ...own } }, ...cwd !== undefined && { cwd } });
  }
  if (isProgram(config)) return openPlain(name, config, { trace, onStderr });
  if (isSocket(config.url)) return socketTransport(socketPath(config.url), { trace });
  const own = Object.keys(config.headers ?? {}).some((field) => field.toLowerCase() === 'authorization');
  return httpTransport(config.url, {
    ...wire ? { around: httpTrace(wire) } : { trace },
    ...config.headers && { headers: config.headers },
    ...!own && { auth: storedLogin(config.url, loginFile(env)) },
  });
};

/** The client that a login belongs to: this program, or one that the person registered by hand. */
export const clientOf = (client: string): { readonly name: string; readonly registered?: { readonly clientId: string } } =>
  ({ name: clientName, ...client !== clientName && { registered: { clientId: client } } });

/** Uses a login that is there, and renews it. Nobody is asked to log in: that is what `barewire login` is for. */
function storedLogin(url: string, file: string): HttpAuthorization {
  let found: Promise<OAuth | undefined> | undefined;
  const login = (): Promise<OAuth | undefined> => found ??= (async () => {
    // Loaded only for addresses.
    const oauth = await import('../oauth/node/index.ts');
    const logins = await oauth.storedLogins(file);
    const mine = logins.find(({ server }) => server === new URL(url).href);
    return mine && oauth.login({ server: url, client: clientOf(mine.client), store: oauth.fileStore({ path: file }), interactive: false });
  })();
  return {
    headers: async (request) => (await login())?.headers(request) ?? {},
    refused: async (answer) => (await login())?.refused(answer) ?? false,
    context: async () => (await (await login())?.context?.()) ?? '',
  };
}
