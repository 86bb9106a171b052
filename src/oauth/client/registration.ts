import { systemClock } from '../../bounds/clock.ts';
import type { Clock } from '../../bounds/clock.ts';
import { checkOptions } from '../../bounds/options.ts';
import type { Shape } from '../../bounds/options.ts';
import { isObject } from '../../jsonrpc/internal-exports.ts';
import type { AuthorizationServerMetadata } from '../authorization-server-metadata.ts';
import { OAuthError, shown } from '../errors.ts';
import { isLoopback } from '../fetch-json.ts';
import type { FetchOptions } from '../fetch-json.ts';
import { postJson } from '../post-json.ts';
import type { ClientInformation, SigningKey } from './client-authentication.ts';
import { parseStored, swap } from './store.ts';
import type { AuthorizationStore } from './store.ts';

/** Credentials from the authorization server's operator (2026-07-28 basic/authorization/client-registration#pre-registration). */
export interface RegisteredClient {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** For `private_key_jwt`. */
  readonly signingKey?: SigningKey | undefined;
  /** For example `client_secret_post`. Default: the best method that the server offers. */
  readonly authenticationMethod?: string | undefined;
  /**
   * The issuer of the credentials. Set it: without it, they go to the first authorization server that the MCP server
   * names, and only a later change is detected.
   */
  readonly issuer?: string | undefined;
}

/** The client's details, for any way of registration that the authorization server offers. */
export interface ClientOptions {
  /** The client's name in the dynamic registration. The login page may show it. */
  readonly name?: string | undefined;
  /** The https URL of the client's own metadata document, which is then its ID (client ID metadata documents). */
  readonly metadataDocument?: string | undefined;
  readonly registered?: RegisteredClient | undefined;
  /** More members of the dynamic registration request (RFC 7591 section 2), such as `client_uri`, `logo_uri`; no `redirect_uris`. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

// For `checkOptions`.
export const registeredShape: Shape<RegisteredClient> = {
  clientId: 'string', clientSecret: 'string', authenticationMethod: 'string', issuer: 'string',
  signingKey: { key: 'string or object', algorithm: '"ES256" or "RS256"', kid: 'string' },
};

// For `checkOptions`.
export const clientShape: Shape<ClientOptions> = {
  name: 'string', metadataDocument: 'string', registered: registeredShape, metadata: 'object',
};

/** Throws a TypeError for options of a grant with an unknown or malformed member, or without a client ID. */
export function checkRegistered<O extends RegisteredClient>(place: string, options: O, shape: Shape<O>): void {
  // A required member that is missing becomes null, which is refused as not a string.
  checkOptions<object>(place, { ...options, clientId: options?.clientId ?? null }, shape);
}

/** The input of a registration. */
export interface Registration {
  readonly client: ClientOptions;
  readonly server: AuthorizationServerMetadata;
  readonly redirectUri: string;
  readonly dpop: boolean;
  readonly store: AuthorizationStore;
  /** The store's key for a dynamic registration with this server. */
  readonly key: string;
  readonly options: FetchOptions;
}

/**
 * The client's ID at an authorization server: pre-registered, or its metadata document, or from a dynamic registration
 * that is made once and stored (the order of 2026-07-28 basic/authorization/client-registration).
 *
 * Rejects with `OAuthError`: `no_registration` if the client can use no way that the server offers,
 * `registration_refused`, `registration_malformed`, `issuer_changed`.
 */
export async function clientFor(registration: Registration): Promise<ClientInformation> {
  const { client: { registered, metadataDocument }, server } = registration;
  if (registered) return registeredClient(registered, server.issuer);
  if (metadataDocument !== undefined && server.client_id_metadata_document_supported === true) {
    checkMetadataDocument(metadataDocument);
    return { client_id: metadataDocument, token_endpoint_auth_method: 'none' };
  }
  if (server.registration_endpoint !== undefined) return dynamicClient(registration, server.registration_endpoint);
  throw new OAuthError('no_registration', `${shown(server.issuer)} has no dynamic registration`
    + `${server.client_id_metadata_document_supported ? ', but takes client ID metadata documents: host one, and give its URL as client.metadataDocument' : ' and takes no client ID metadata documents: register there by hand, and give the client ID as client.registered'}`);
}

/** The given credentials. Throws `OAuthError` (`issuer_changed`) if they belong to another server. */
export function registeredClient(registered: RegisteredClient, issuer: string): ClientInformation {
  const { clientId, clientSecret, signingKey, authenticationMethod } = registered;
  if (registered.issuer !== undefined && registered.issuer !== issuer) {
    throw new OAuthError('issuer_changed', `client ${shown(clientId)} is registered with ${shown(registered.issuer)}, and the server now names ${shown(issuer)}: its credentials are not sent there`);
  }
  return { client_id: clientId, client_secret: clientSecret, signingKey, token_endpoint_auth_method: authenticationMethod };
}

function checkMetadataDocument(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' || url.pathname === '/' || url.hash !== '') {
    throw new OAuthError('no_registration', `client.metadataDocument is ${shown(text)}, expected an https URL with a path`);
  }
}

async function dynamicClient(registration: Registration, endpoint: string): Promise<ClientInformation> {
  const { store, key, redirectUri, options } = registration;
  const stored = parseStored(await store.get(key));
  const known = stored && stored['redirect_uri'] === redirectUri && clientOf(stored, options.clock);
  if (known) return known;
  const made = await register(registration, endpoint);
  await swap(store, key, () => JSON.stringify({ ...made, redirect_uri: redirectUri }));
  return made;
}

/** The store's key for the dynamic registration of a client with an issuer. */
export const registrationKey = (client: string, issuer: string): string => `client ${client} ${issuer}`;

/** The redirect URI of the stored registration, so that a listener can try the same port again. */
export async function registeredRedirectUri(store: AuthorizationStore, key: string): Promise<string | undefined> {
  const uri = parseStored(await store.get(key))?.['redirect_uri'];
  return typeof uri === 'string' ? uri : undefined;
}

async function register({ client, server, redirectUri, dpop, options }: Registration, endpoint: string): Promise<ClientInformation> {
  const { grant_types_supported: grants, token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
  const method = ['none', 'client_secret_basic', 'client_secret_post'].find((one) => methods.includes(one)) ?? 'none';
  const request = {
    client_name: client.name ?? 'MCP client',
    redirect_uris: [redirectUri],
    // If the server lists its grants and this one is not among them, it would refuse the registration.
    grant_types: ['authorization_code', ...!grants || grants.includes('refresh_token') ? ['refresh_token'] : []],
    response_types: ['code'],
    token_endpoint_auth_method: method,
    application_type: isNative(redirectUri) ? 'native' : 'web',
    ...dpop && { dpop_bound_access_tokens: true },
    ...client.metadata,
  };
  const what = `the registration endpoint of ${shown(server.issuer)}`;
  const { status, value, says } = await postJson(endpoint, what, {
    body: JSON.stringify(request),
    headers: { accept: 'application/json', 'content-type': 'application/json' },
  }, options);
  if (status !== 200 && status !== 201) {
    const { error, error_description: why } = isObject(value) ? value : {};
    throw new OAuthError('registration_refused', `${what} answered HTTP ${status}, ${says(error)}: ${says(why)}`
      + ` (asked for application_type ${request.application_type}, redirect_uris ${shown(redirectUri)})`);
  }
  const made = isObject(value) && clientOf(value, options.clock);
  if (!made) throw new OAuthError('registration_malformed', `${what}: client_id is missing, expected a string`);
  const { token_endpoint_auth_method: said = made.client_secret === undefined ? 'none' : method } = made;
  return { ...made, token_endpoint_auth_method: said };
}

function clientOf(value: Readonly<Record<string, unknown>>, clock: Clock = systemClock): ClientInformation | undefined {
  const { client_id, client_secret, client_secret_expires_at: expires, token_endpoint_auth_method: method } = value;
  if (typeof client_id !== 'string' || client_id === '') return undefined;
  // RFC 7591 section 3.2.1: seconds since the epoch, 0 for never.
  if (typeof expires === 'number' && expires > 0 && expires * 1000 <= clock.now()) return undefined;
  return {
    client_id,
    ...typeof client_secret === 'string' && { client_secret },
    ...typeof method === 'string' && { token_endpoint_auth_method: method },
    ...typeof expires === 'number' && { client_secret_expires_at: expires },
  };
}

/** Whether the redirect URI is on this machine: loopback, or the application's own scheme. */
function isNative(redirectUri: string): boolean {
  const url = new URL(redirectUri);
  return url.protocol !== 'https:' && (url.protocol !== 'http:' || isLoopback(url));
}
