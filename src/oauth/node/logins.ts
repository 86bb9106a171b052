import { readFile } from 'node:fs/promises';
import { isObject } from '../../jsonrpc/internal-exports.ts';

/** A stored login: its server and client, without credentials. */
export interface Login {
  /** The MCP server's URL. */
  readonly server: string;
  readonly issuer: string;
  /** The name of the client that logged in. */
  readonly client: string;
  readonly scope?: string | undefined;
  /** The access token's expiry, in milliseconds since the epoch. Undefined if the server has not stated it. */
  readonly expiresAt?: number | undefined;
  /** Whether the login can be renewed without a person. */
  readonly renewable: boolean;
}

/** The logins in a file of `fileStore`. Empty if the file does not exist or cannot be read; other entries are left out. */
export async function storedLogins(path: string): Promise<Login[]> {
  let kept: unknown;
  try {
    kept = JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return [];
  }
  if (!isObject(kept)) return [];
  const texts = kept;
  return Object.keys(texts).flatMap((key): Login[] => {
    const [, client, server] = /^server (.*) (\S+)$/s.exec(key) ?? [];
    const { issuer, resource } = recordIn(texts[key]);
    if (client === undefined || server === undefined || typeof issuer !== 'string' || typeof resource !== 'string') return [];
    const tokens = recordIn(texts[`tokens ${client} ${server} ${issuer} ${resource}`]);
    if (typeof tokens['access_token'] !== 'string') return [];
    const { scope, expires_at: expiresAt } = tokens;
    return [{
      server, issuer, client,
      scope: typeof scope === 'string' ? scope : undefined,
      expiresAt: typeof expiresAt === 'number' ? expiresAt : undefined,
      renewable: typeof tokens['refresh_token'] === 'string',
    }];
  });
}

function recordIn(text: unknown): Record<string, unknown> {
  try {
    const value: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
