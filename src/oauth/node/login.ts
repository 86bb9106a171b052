import { lookup } from 'node:dns/promises';
import { checkOptions } from '../../bounds/options.ts';
import { authorizationCode, codeShape } from '../client/authorization-code.ts';
import type { AuthorizationCodeOptions } from '../client/authorization-code.ts';
import { oauth, oauthShape } from '../client/oauth.ts';
import type { OAuth, OAuthOptions } from '../client/oauth.ts';
import { openBrowser } from './browser.ts';
import { fileStore } from './file-store.ts';
import { loopback } from './loopback.ts';

/** The parts of a login. Each has a default for a program on a person's machine. */
export interface LoginOptions extends Partial<Omit<AuthorizationCodeOptions, 'redirectUri'>>, Omit<OAuthOptions, 'grant'> {}

/**
 * Logs a person in from a program on their machine: with a browser, a listener on 127.0.0.1, and a file for the
 * tokens. Several processes share one login. Each part can be replaced.
 *
 *     httpTransport(url, { auth: login({ client: { name: 'trips' } }) })
 */
export function login(given: LoginOptions = {}): OAuth {
  const { redirectUri, ...code } = codeShape;
  const { grant, ...common } = oauthShape;
  checkOptions('login: options', given, { ...code, ...common });
  const {
    client = {}, onAuthorize = openBrowser, redirect = loopback(), interactive, offlineAccess, store = fileStore(), ...options
  } = given;
  return oauth({
    lookup: async (hostname) => (await lookup(hostname, { all: true })).map(({ address }) => address),
    ...options,
    store,
    grant: authorizationCode({ client, onAuthorize, redirect, interactive, offlineAccess }),
  });
}
