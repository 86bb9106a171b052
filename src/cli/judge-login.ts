import type { JudgeLogin } from '../judge/index.ts';
import { errorMessage } from '../jsonrpc/internal-exports.ts';
import type { CommandProcess } from './command-process.ts';
import { NotReached, WrongUse } from './exit-codes.ts';
import { isLoopback } from './loopback.ts';

/** A login: headers for the server, and secrets to remove from reports. */
export interface JudgeCredential {
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

/**
 * Gets a token as `login` of judge.json says, with values from the environment. The token is sent only to the origin of
 * `login.server`, the client secret only to the authorization server `login.issuer`.
 */
export async function judgeLogin(login: JudgeLogin, url: string, env: CommandProcess['env']): Promise<JudgeCredential> {
  const { server, tokenVariable, clientIdVariable, clientSecretVariable, issuer, scope } = login;
  const { origin } = new URL(server);
  if (new URL(url).origin !== origin) throw new WrongUse(`--items: its login is for ${origin}, and the server is at ${new URL(url).origin}`);
  // 2025-11-25 basic/authorization#communication-security.
  if (!url.startsWith('https:') && !isLoopback(url)) throw new WrongUse(`--items: a token is not sent to ${origin} without TLS`);
  const read = (member: string, name: string | undefined): string => {
    const value = name === undefined ? undefined : env[name];
    if (value === undefined || value === '') throw new WrongUse(`--items: the variable that login.${member} names is not set`);
    return value;
  };
  if (tokenVariable !== undefined) {
    const token = read('tokenVariable', tokenVariable);
    if (!/^[\x21-\x7e]+$/.test(token)) throw new WrongUse('--items: the variable that login.tokenVariable names has no token');
    return { headers: { authorization: `Bearer ${token}` }, secrets: [token] };
  }
  const clientId = read('clientIdVariable', clientIdVariable);
  const clientSecret = read('clientSecretVariable', clientSecretVariable);
  const { clientCredentials, oauth } = await import('../oauth/index.ts');
  // The judge makes its own requests, and adds no proof (DPoP) to them.
  const client = oauth({ grant: clientCredentials({ clientId, clientSecret, issuer }), server: url, scope, dpop: false });
  try {
    await client.authorize();
    const headers = await client.headers({ method: 'POST', url });
    return { headers, secrets: [clientSecret, ...Object.values(headers)] };
  } catch (thrown) {
    throw new NotReached(`${origin}: the login failed: ${errorMessage(thrown)}`);
  }
}
