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

/** The client name in stored logins and at the authorization server. */
export const clientName = 'barewire';

/** The path of this user's tokens. */
export const loginFile = (env: CommandProcess['env']): string => join(homeFolder(env), 'oauth.json');

/** `wire` receives all HTTP traffic, including messages, and replaces `trace`. */
export interface OpenHooks extends TransportHooks {
  readonly wire?: HttpTrace;
  /** Milliseconds until a program must have ended after its stdin is closed. */
  readonly graceMs?: number | undefined;
}

/** Opens servers like `openServer` of the host, with the stored login of an address if there is one. */
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

/** The client of a login: this program, or a client that the user registered by hand. */
export const clientOf = (client: string): { readonly name: string; readonly registered?: { readonly clientId: string } } =>
  ({ name: clientName, ...client !== clientName && { registered: { clientId: client } } });

/** Uses and renews a stored login. It never asks the user to log in: that is for `barewire login`. */
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
