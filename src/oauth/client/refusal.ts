import type { HttpRefusal } from '../../transport/internal-exports.ts';
import { OAuthError, shown } from '../errors.ts';
import { oauthChallenge } from './challenge.ts';
import type { DpopNonces } from './dpop.ts';
import type { FailedLogin } from './failed-login.ts';
import type { Grant } from './grant.ts';
import type { HeldTokens } from './held-tokens.ts';
import type { OAuthLimits } from './limits.ts';
import { stepUp } from './scope.ts';

/**
 * Handles a refusal by the MCP server: gets the credentials that it requires. True: send the request again. False: the
 * refusal is not about tokens. Throws an `OAuthError` if the client cannot get better tokens.
 */
export async function answerRefusal(
  { status, url, header, sent, attempt }: HttpRefusal,
  held: HeldTokens, failedLogin: FailedLogin, nonces: DpopNonces, grant: Grant, { maxAttempts }: OAuthLimits,
): Promise<boolean> {
  const freshNonce = nonces.note(url, header('dpop-nonce'));
  const challenge = oauthChallenge(header('www-authenticate'), sent);
  const used = sent['authorization']?.split(' ', 2)[1];
  if (challenge.error === 'use_dpop_nonce' && used !== undefined) {
    // RFC 9449 section 9. A server that refuses the nonce that it has just given would also refuse the next one.
    if (attempt === 1 || (freshNonce && attempt <= maxAttempts)) return true;
    throw new OAuthError('token_rejected', `${new URL(url).origin} refuses its own DPoP nonce`);
  }
  if (status === 400) return false;
  if (attempt > maxAttempts) throw rejected(url, challenge.error);
  if (challenge.error === 'insufficient_scope' && used !== undefined) return stepUp(held, grant, used, url, challenge);
  if (status === 403) return false;
  if (attempt > 1 && held.isGranted(used)) throw rejected(url, challenge.error);
  failedLogin.check(sent);
  await held.renew({ challenge, used });
  return true;
}

const rejected = (url: string, error: string | undefined): OAuthError =>
  new OAuthError('token_rejected', `${new URL(url).origin} refuses a token that was just issued for it${error === undefined ? '' : `: ${shown(error)}`}`);
