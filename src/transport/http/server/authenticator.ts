import type { Auth, AuthRefusal } from '../../port.ts';
import type { RequestInfo } from './http-request.ts';

/** What `authenticate` finds: who asks; why it is refused; or nothing, which gets 401. */
export type Authenticated = Auth | AuthRefusal | undefined;

/** Says who asks. It sees the head of the request; a throw gets 500 and goes to `onError`. */
export type Authenticate = (request: RequestInfo) => Authenticated | Promise<Authenticated>;

/** Public JSON documents: a table by path, or a function of the path that answers undefined where none is. */
export type Documents =
  | Readonly<Record<string, () => object>>
  | ((path: string) => object | undefined);

/** Lets requests in: what `auth` may be besides a function. */
export interface Authenticator {
  authenticate: Authenticate;
  /** The `WWW-Authenticate` of a 401 where `authenticate` gave no reason. Default `Bearer`. */
  readonly challenge?: string | undefined;
  /**
   * Documents that anybody may read, such as `/.well-known/oauth-protected-resource` (RFC 9728): served to
   * GET as JSON, without credentials, to every origin.
   */
  readonly documents?: Documents | undefined;
}
