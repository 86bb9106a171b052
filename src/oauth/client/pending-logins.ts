import { systemClock } from '../../bounds/clock.ts';
import type { Clock } from '../../bounds/clock.ts';
import type { ClientInformation } from './client-authentication.ts';
import type { DpopReference } from './dpop.ts';
import { parseStored, swap } from './store.ts';
import type { AuthorizationStore } from './store.ts';

/** A login that has begun: the values that its response must match, and those for the token request. */
export interface PendingLogin {
  readonly state: string;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly issuer: string;
  /** Without credentials from the program, which provides them again. */
  readonly client: ClientInformation;
  /** The MCP server's URL. */
  readonly server: string;
  /** The resource identifier in the server's metadata. */
  readonly resource: string;
  /** The address of the protected resource metadata that a challenge named. */
  readonly resourceMetadata?: string | undefined;
  /** The `resource` parameter; undefined if it was left out. */
  readonly resourceParameter?: string | undefined;
  readonly scope?: string | undefined;
  /** The DPoP key that the authorization code is bound to. */
  readonly dpop?: DpopReference | undefined;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** The most pending logins for one client and one MCP server. The oldest is dropped first. */
const maxPending = 16;

/**
 * The store's key for the pending logins of a client. Each MCP server has its own key, so that a response matches only
 * logins for its server.
 */
const pendingKey = (client: string, server: string): string => `pending ${client} ${server}`;

/**
 * Stores a login until its response comes. Removes logins for another issuer or resource: the server now names a
 * different one, and a late response must not restore the old one.
 */
export async function keepLogin(
  store: AuthorizationStore, client: string, login: PendingLogin, clock: Clock = systemClock,
): Promise<void> {
  await swap(store, pendingKey(client, login.server), (text) => {
    const others = read(text, clock).filter(({ issuer, resource }) => issuer === login.issuer && resource === login.resource);
    return JSON.stringify([...others, login].slice(-maxPending));
  });
}

/** Selects the login to take from a store. */
export interface WantedLogin {
  /** The client, as the grant identifies it. */
  readonly client: string;
  readonly server: string;
  readonly state: string;
  /** Throws if the login does not belong to the caller; then it stays in the store. */
  readonly check?: ((login: PendingLogin) => void) | undefined;
}

/**
 * Removes a login from the store and returns it, so that its response is used once. Undefined if no pending login has
 * this `state`.
 */
export async function takeLogin(
  store: AuthorizationStore, { client, server, state, check }: WantedLogin, clock: Clock = systemClock,
): Promise<PendingLogin | undefined> {
  let found: PendingLogin | undefined;
  await swap(store, pendingKey(client, server), (text) => {
    const logins = read(text, clock);
    found = logins.find((login) => login.state === state);
    if (found === undefined) return text;
    check?.(found);
    const rest = logins.filter((login) => login.state !== state);
    return rest.length === 0 ? undefined : JSON.stringify(rest);
  });
  return found;
}

function read(text: string | undefined, clock: Clock): PendingLogin[] {
  const value = parseStored(text);
  const logins: PendingLogin[] = Array.isArray(value) ? value : [];
  return logins.filter(({ until }) => until > clock.now());
}
