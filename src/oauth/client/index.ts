export { oauth } from './oauth.ts';
export type { OAuth, OAuthOptions } from './oauth.ts';
export { authorizationCode, AuthorizationRequired } from './authorization-code.ts';
export type {
  AuthorizationCodeOptions, RedirectListener, RedirectReceiver, RedirectResponse,
} from './authorization-code.ts';
export type { ChooseIssuer } from './authorization-server-location.ts';
export { AuthorizationRefused } from './authorization-response.ts';
export { clientCredentials } from './client-credentials.ts';
export { enterpriseManaged } from './enterprise-managed.ts';
export type { EnterpriseManagedOptions, IdentityProvider } from './enterprise-managed.ts';
export { jwtBearer } from './jwt-bearer.ts';
export type { JwtBearerOptions } from './jwt-bearer.ts';
export type { Finished, FinishRequest, Grant, Granted, GrantRequest } from './grant.ts';
export type { ClientOptions, RegisteredClient } from './registration.ts';
export type { ClientInformation, SigningKey } from './client-authentication.ts';
export { indexedDbStore } from './indexed-db-store.ts';
export { memoryStore } from './store.ts';
export type { AuthorizationStore, KeyStore, StoredKey } from './store.ts';
export { defaultOAuthLimits } from './limits.ts';
export type { OAuthLimits } from './limits.ts';
export { TokenRefused } from './token-endpoint.ts';
export { parseChallenges } from './challenge.ts';
export type { Challenge } from './challenge.ts';
export type { Lookup } from './addresses.ts';
