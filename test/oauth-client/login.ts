import { authorizationCode, oauth } from '../../src/oauth/index.ts';
import type { AuthorizationCodeOptions, OAuth, OAuthOptions } from '../../src/oauth/index.ts';

export const redirectUri = 'http://127.0.0.1:9/callback';

/** Plays the browser: returns the address of the authorization server's redirect. */
export async function follow(url: URL): Promise<string> {
  const response = await fetch(url, { redirect: 'manual' });
  await response.body?.cancel();
  return response.headers.get('location') ?? '';
}

/** A client that logs in without a person. */
export function selfLogin(options: Partial<OAuthOptions> = {}, code: Partial<AuthorizationCodeOptions> = {}): OAuth {
  return oauth({
    grant: authorizationCode({ client: { name: 'test' }, redirectUri, onAuthorize: follow, ...code }), ...options,
  });
}

/** One request, as the HTTP transport makes it with `auth`: refused at most three times. */
export async function call(auth: OAuth, url: string, method = 'POST'): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const sent = await auth.headers({ method, url });
    const response = await fetch(url, { method, headers: sent, redirect: 'manual' });
    const body = await response.text();
    const header = (name: string): string | undefined => response.headers.get(name) ?? undefined;
    const { status } = response;
    if (status < 400) {
      auth.accepted?.({ url, header });
      return status;
    }
    const refusal = status === 401 || status === 403 || (status === 400 && (header('www-authenticate') ?? '').includes('use_dpop_nonce'));
    if (!refusal || attempt > 3 || !await auth.refused({ status, url, method, header, body, sent, attempt })) return status;
  }
}
