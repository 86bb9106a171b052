/** The parameters of a challenge, in their order; undefined ones are left out. */
export type ChallengeParameters = Readonly<Record<string, string | undefined>>;

/**
 * A challenge of `WWW-Authenticate` (RFC 9110 section 11.6.1; RFC 6750 section 3; RFC 9449 section 7.1). Characters
 * that a quoted string may not hold become an apostrophe or a space, so that no part of a token can end the string.
 */
export function challenge(scheme: 'Bearer' | 'DPoP', parameters: ChallengeParameters): string {
  const parts = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value = '']) => `${name}="${quotable(value)}"`);
  return parts.length === 0 ? scheme : `${scheme} ${parts.join(', ')}`;
}

// RFC 6750 section 3: %x20-21 / %x23-5B / %x5D-7E.
const quotable = (text: string): string =>
  text.replaceAll(/["\\]/g, '\'').replaceAll(/[^\x20-\x7e]/g, ' ');
