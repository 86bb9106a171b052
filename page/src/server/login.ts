import { fileStore, login, loopback, storedLogins } from 'barewire/oauth/node';
import type { HttpAuthorization } from 'barewire/http';
import type { LoginStep } from '../messages.ts';
import type { Login } from '../host/index.ts';

type Step = Omit<LoginStep, 'server' | 'at'>;

/** The client name for the authorization server, as in the `barewire` command. */
const clientName = 'barewire';

/**
 * A login at one server: the person opens the consent page, and the redirect goes to 127.0.0.1. `onStep` gets each request of the login,
 * without tokens, codes, verifiers and secrets. `home`: the address of the page, to which the tab returns after the login.
 */
export function loginAt(url: string, tokensFile: string, home: string, onStep: (step: Step) => void): Login {
  const auth = login({
    server: url,
    client: { name: clientName },
    store: fileStore({ path: tokensFile }),
    fetch: watched(onStep),
    redirect: watchedRedirect(home, onStep),
    onAuthorize: (consent) => {
      const scope = consent.searchParams.get('scope') ?? '';
      onStep({ step: 'consent', what: `${consent.host} asks you to log in`, details: { issuer: consent.origin, scope, 'client id': consent.searchParams.get('client_id') ?? '' }, url: consent.href });
    },
  });
  return {
    auth,
    async authorize(signal) {
      signal.throwIfAborted();
      const stopped = new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));
      stopped.catch(() => {});
      await Promise.race([auth.authorize(), stopped]);
    },
    signOut: () => auth.signOut(),
  };
}

/** Uses a stored login of this user, made by this page or by the command, and refreshes it. It never opens a consent page. */
export function keptLogin(url: string, tokensFile: string): HttpAuthorization {
  type Kept = ReturnType<typeof login>;
  let found: Promise<Kept | undefined> | undefined;
  const kept = (): Promise<Kept | undefined> => found ??= (async () => {
    const mine = (await storedLogins(tokensFile)).find(({ server }) => server === new URL(url).href);
    if (!mine) return undefined;
    const client = { name: clientName, ...mine.client !== clientName && { registered: { clientId: mine.client } } };
    return login({ server: url, client, store: fileStore({ path: tokensFile }), interactive: false });
  })();
  return {
    headers: async (request) => (await kept())?.headers(request) ?? {},
    refused: async (answer) => (await kept())?.refused(answer) ?? false,
    context: async () => (await (await kept())?.context?.()) ?? '',
  };
}

function watchedRedirect(home: string, onStep: (step: Step) => void): ReturnType<typeof loopback> {
  const inner = loopback({ page: (error) => backPage(home, error) });
  return {
    async listen(preferred) {
      const listener = await inner.listen(preferred);
      return {
        ...listener,
        async next() {
          const response = await listener.next();
          const { searchParams } = new URL(response.url, listener.redirectUri);
          const failed = searchParams.get('error');
          onStep({
            step: 'code', url: null, what: failed === null ? 'the authorization server sent a code to 127.0.0.1' : `the authorization server said ${failed}`,
            details: { 'redirect to': listener.redirectUri, state: searchParams.has('state') ? 'there' : 'missing', iss: searchParams.get('iss') ?? '' },
          });
          return response;
        },
      };
    },
  };
}

/** The page that the tab shows before it returns to `home`. The page at `home` shows the result of the login. */
function backPage(home: string, error: string | undefined): string {
  const href = escaped(home);
  return '<!doctype html><html lang="en"><meta charset="utf-8"><title>Login</title>'
    + `<meta http-equiv="refresh" content="0;url=${href}"><p>${error === undefined ? 'You are logged in.' : escaped(error)} <a href="${href}">Back to the page</a></p></html>`;
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

/** A `fetch` that reports the purpose of each request. */
function watched(onStep: (step: Step) => void): typeof globalThis.fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const response = await fetch(input, init);
    const step = stepOf(url, init?.body);
    if (step) onStep({ ...step, url: null, details: { ...step.details, address: url.origin + url.pathname, status: String(response.status), ...await told(step.step, response.clone()) } });
    return response;
  };
}

function stepOf({ pathname }: URL, body: unknown): Pick<Step, 'step' | 'what' | 'details'> | undefined {
  if (pathname.includes('/.well-known/oauth-protected-resource')) return { step: 'resource-metadata', what: 'which authorization servers the server trusts', details: {} };
  if (pathname.includes('/.well-known/')) return { step: 'server-metadata', what: 'where and how the authorization server is asked', details: {} };
  const text = typeof body === 'string' ? body : body instanceof URLSearchParams ? body.toString() : '';
  const grant = new URLSearchParams(text).get('grant_type');
  if (grant === 'refresh_token') return { step: 'refresh', what: 'a new token for the refresh token', details: { 'grant type': grant } };
  if (grant !== null) return { step: 'token', what: 'a token for the code', details: { 'grant type': grant } };
  return text.includes('redirect_uris') ? { step: 'registration', what: 'this client is made known to the authorization server', details: {} } : undefined;
}

/** Members of a response that are not secret. */
const harmless: Readonly<Record<Step['step'], readonly string[]>> = {
  challenge: [], consent: [], code: [], done: [], failed: [],
  'resource-metadata': ['resource', 'authorization_servers', 'scopes_supported'],
  'server-metadata': ['issuer', 'authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'code_challenge_methods_supported'],
  registration: ['client_id', 'client_name', 'redirect_uris', 'token_endpoint_auth_method', 'error', 'error_description'],
  token: ['token_type', 'expires_in', 'scope', 'error', 'error_description'],
  refresh: ['token_type', 'expires_in', 'scope', 'error', 'error_description'],
};

async function told(step: Step['step'], response: Response): Promise<Record<string, string>> {
  const value: unknown = await response.json().catch(() => undefined);
  if (typeof value !== 'object' || value === null) return {};
  const members = value as Readonly<Record<string, unknown>>;
  const shown = harmless[step].filter((name) => Object.hasOwn(members, name))
    .map((name) => [name, (typeof members[name] === 'string' ? members[name] : JSON.stringify(members[name])).slice(0, 500)] as const);
  return { ...Object.fromEntries(shown), ...step === 'token' && { 'refresh token': 'refresh_token' in members ? 'there' : 'none' } };
}
