import type { ClientInformation } from './client-authentication.ts';
import type { DpopReference } from './dpop.ts';
import { parseStored, swap } from './store.ts';
import type { AuthorizationStore } from './store.ts';

/** A login that was begun: what its response is compared with, and what goes into the token request. */
export interface PendingLogin {
  readonly state: string;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly issuer: string;
  /** Without the credentials that the program gave: those it gives again. */
  readonly client: ClientInformation;
  readonly server: string;
  readonly resource: string;
  /** The address of the protected resource metadata that a challenge named. */
  readonly resourceMetadata?: string | undefined;
  /** The `resource` parameter; undefined where it is left out. */
  readonly resourceParameter?: string | undefined;
  readonly scope?: string | undefined;
  /** The DPoP key that the code is bound to. */
  readonly dpop?: DpopReference | undefined;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Logins that wait at the same time in one store; the oldest goes first. */
const maxPending = 16;

/** Keeps a login until its response comes. */
export async function keepLogin(store: AuthorizationStore, key: string, login: PendingLogin): Promise<void> {
  await swap(store, key, (text) => JSON.stringify([...read(text), login].slice(-maxPending)));
}

/** Takes a login out of the store, so that its response counts once; undefined where there is none of this `state`. */
export async function takeLogin(store: AuthorizationStore, key: string, state: string): Promise<PendingLogin | undefined> {
  let found: PendingLogin | undefined;
  await swap(store, key, (text) => {
    const logins = read(text);
    found = logins.find((login) => login.state === state);
    if (found === undefined) return text;
    const rest = logins.filter((login) => login.state !== state);
    return rest.length === 0 ? undefined : JSON.stringify(rest);
  });
  return found;
}

function read(text: string | undefined): PendingLogin[] {
  const value = parseStored(text);
  const logins: PendingLogin[] = Array.isArray(value) ? value : [];
  return logins.filter(({ until }) => until > Date.now());
}
