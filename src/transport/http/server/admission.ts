import { refusalData } from '../../auth.ts';
import type { AccessDenied, Auth, AuthRefusal, RateRefusal } from '../../auth.ts';
import type { HeaderFields, HttpRequest, RequestInfo } from './http-request.ts';
import type { HttpOptions } from './options.ts';
import { refuse } from './error-response.ts';
import type { Refusable } from './error-response.ts';
import type { EndpointServices } from './services.ts';

/** What `authenticate` finds: who asks; why it is refused; or nothing, which gets 401. */
export type Authenticated = Auth | AuthRefusal | RateRefusal | undefined;

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

/** Passes a request on once its credentials are checked, with who asks; or refuses it. */
export type Admit = (request: RequestInfo & Refusable, admitted: (auth: Auth | undefined) => void) => void;

/** What an endpoint gives to what lets requests in. */
export type AdmitServices = Pick<EndpointServices, 'server' | 'report' | 'track' | 'tracing'>;

const scoped = 'the server has scopes, and `auth` is missing';

/** Without `auth` everybody is admitted. Throws where something of the server has `scopes`, which nobody would check. */
export function createAdmit(services: AdmitServices, { auth, challenge }: Pick<HttpOptions, 'auth' | 'challenge'>): Admit {
  if (auth === undefined) {
    const { server } = services;
    if (server.scoped) throw new TypeError(scoped);
    return (request, admitted) => {
      if (!server.scoped) return admitted(undefined);
      // It was registered after the start.
      services.report(new TypeError(scoped));
      refuse(services, request, 500, 'The credentials could not be checked');
    };
  }
  const authenticator: Authenticator = typeof auth === 'function' ? { authenticate: auth } : auth;
  const missing: AuthRefusal = {
    status: 401, challenge: challenge ?? authenticator.challenge ?? 'Bearer', message: 'Unauthorized',
  };

  async function check(request: RequestInfo & Refusable, admitted: (auth: Auth) => void): Promise<void> {
    let found: Auth | AuthRefusal | RateRefusal;
    try {
      found = readFound(await authenticator.authenticate(request) || missing);
      if (!('principal' in found)) {
        return refuse(services, request, found.status, found.message, { fields: challengeFields(found), data: refusalData(found) });
      }
    } catch (thrown) {
      // Also what a header or JSON cannot say.
      services.report(thrown);
      return refuse(services, request, 500, 'The credentials could not be checked');
    }
    admitted(found);
  }
  return (request, admitted) => services.track(check(request, admitted));
}

/**
 * What `authenticate` found, or a TypeError: what is neither lets nobody in. All who came with an empty principal would be
 * one, with the same sessions and tasks.
 */
function readFound<F extends Auth | AuthRefusal | RateRefusal>(found: F): F {
  if (typeof found === 'object' && ('principal' in found ? found.principal && typeof found.principal === 'string' : isRefusal(found))) return found;
  throw new TypeError('`auth` gave neither a principal nor a refusal');
}

function isRefusal({ status, challenge, message }: AuthRefusal | RateRefusal): boolean {
  return (status === 429 || [400, 401, 403].includes(status) && typeof challenge === 'string') && typeof message === 'string';
}

/** RFC 9110, 11.6.1. */
function challengeFields({ challenge, headers }: AuthRefusal | RateRefusal): HeaderFields {
  return { ...challenge && { 'www-authenticate': challenge }, ...headers };
}

/** The response that a thrown `AccessDenied` asks for; undefined for anything else. */
export function denial(thrown: unknown): { status: number; fields: HeaderFields } | undefined {
  try {
    // By name: the server may be of another copy of this package. So it may be anything that is called so.
    if (!(thrown instanceof Error && thrown.name === 'AccessDenied')) return undefined;
    const { refusal } = thrown as AccessDenied;
    return isRefusal(refusal) ? { status: refusal.status, fields: challengeFields(refusal) } : undefined;
  } catch {
    return undefined;
  }
}

/** Serves a public document to GET, and its preflight. Returns false where that is not what is asked. */
export function serveDocument(services: EndpointServices, documents: Documents, request: HttpRequest): boolean {
  const { method, path } = request;
  if (method !== 'GET' && method !== 'OPTIONS') return false;
  let text: string | undefined;
  try {
    text = JSON.stringify(typeof documents === 'function' ? documents(path)
      : Object.hasOwn(documents, path) ? documents[path]?.() : undefined) as string | undefined;
  } catch (thrown) {
    services.report(thrown);
    refuse(services, request, 500, 'The document could not be made');
    return true;
  }
  if (text === undefined) return false;
  // A browser app without a token must be able to read this metadata: from any origin, without credentials.
  request.common = { ...request.common, 'access-control-allow-origin': '*' };
  if (method === 'GET') request.respond(200, text);
  else request.respond(204, '', { 'access-control-allow-headers': '*' });
  return true;
}
