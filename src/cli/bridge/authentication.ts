import { readFileSync, statSync } from 'node:fs';
import { createHash } from 'node:crypto';
import type { Authenticate, Authenticator } from '../../transport/http/node/index.ts';
import { WrongUse } from '../exit-codes.ts';

/**
 * Accepts the tokens of a file with lines `PRINCIPAL TOKEN`; a line that begins with `#` is a comment. Throws `WrongUse`
 * if other users may read the file, for an invalid line, and for a token of fewer than 16 characters.
 */
export function tokenAuthentication(file: string): Authenticate {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
    if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) throw new WrongUse(`${file} may be read by others: chmod 600`);
  } catch (thrown) {
    throw thrown instanceof WrongUse ? thrown : new WrongUse(`--tokens: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
  // Keyed by digest, so that the time of a look-up reveals nothing about a token.
  const principals = new Map<string, string>();
  for (const [at, line] of text.split('\n').entries()) {
    const words = line.trim().split(/\s+/);
    const [principal = '', token = ''] = words;
    if (principal === '' || principal.startsWith('#')) continue;
    if (words.length !== 2 || token.length < 16) throw new WrongUse(`${file}, line ${at + 1}: PRINCIPAL and a TOKEN of at least 16 characters are expected`);
    principals.set(digest(token), principal);
  }
  if (principals.size === 0) throw new WrongUse(`${file} has no token`);
  return (request) => {
    const [, token] = /^Bearer +(\S+)$/i.exec(request.header('authorization') ?? '') ?? [];
    const principal = token === undefined ? undefined : principals.get(digest(token));
    return principal === undefined ? undefined : { principal };
  };
}

const digest = (token: string): string => createHash('sha256').update(token).digest('base64');

/** Accepts access tokens that this issuer gave for `resource`, the bridge's address as clients know it. */
export async function issuerAuthentication(issuer: string, resource: string): Promise<Authenticator> {
  const { bearer } = await import('../../oauth/index.ts');
  try {
    return bearer({ resource, authorizationServers: [issuer] });
  } catch (thrown) {
    throw new WrongUse(`--issuer, --resource: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}
