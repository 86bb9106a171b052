import { refusalData } from '../../auth.ts';
import type { AccessDenied, Auth, AuthRefusal, RateRefusal } from '../../auth.ts';
import type { HeaderFields, HttpRequest, RequestInfo } from './http-request.ts';
import type { HttpOptions } from './options.ts';
import { refuse } from './error-response.ts';
import type { Refusable } from './error-response.ts';
import type { EndpointServices } from './services.ts';

/** The result of `authenticate`: the client and user, a refusal, or undefined, which gets 401. */
export type Authenticated = Auth | AuthRefusal | RateRefusal | undefined;

/** Authenticates a request by its head. If it throws, the request gets 500, and `onError` the error. */
export type Authenticate = (request: RequestInfo) => Authenticated | Promise<Authenticated>;

/** Public JSON documents: a table by path, or a function of the path that returns undefined if there is no document. */
export type Documents =
  | Readonly<Record<string, () => object>>
  | ((path: string) => object | undefined);

/** Authenticates requests: the object form of the option `auth`. */
export interface Authenticator {
  authenticate: Authenticate;
  /** The `WWW-Authenticate` of a 401 if `authenticate` returned undefined. Default `Bearer`. */
  readonly challenge?: string | undefined;
  /**
   * Public documents, such as `/.well-known/oauth-protected-resource` (RFC 9728): GET returns them
   * as JSON, without credentials, to every origin.
   */
  readonly documents?: Documents | undefined;
}

/** Checks the credentials of a request, then calls `admitted` with the result, or refuses the request. */
export type Admit = (request: RequestInfo & Refusable, admitted: (auth: Auth | undefined) => void) => void;

/** The services that the check of credentials needs. */
export type AdmitServices = Pick<EndpointServices, 'server' | 'report' | 'track' | 'tracing'>;

const scoped = 'the server has scopes, and `auth` is missing';

/** Without `auth`, every request is admitted. Throws if the server has `scopes`, because nothing would check them. */
export function createAdmit(services: AdmitServices, { auth, challenge }: Pick<HttpOptions, 'auth' | 'challenge'>): Admit {
  if (auth === undefined) {
    const { server } = services;
    if (server.scoped) throw new TypeError(scoped);
    return (request, admitted) => {
      if (!server.scoped) return admitted(undefined);
      // The guarded feature was registered after the start.
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
      // Also if a header or JSON cannot hold the refusal.
      services.report(thrown);
      return refuse(services, request, 500, 'The credentials could not be checked');
    }
    admitted(found);
  }
  return (request, admitted) => services.track(check(request, admitted));
}

/**
 * Checks the result of `authenticate`; throws a TypeError for any other value, which must not admit anyone. An empty principal
 * is refused: all such users would share their sessions and tasks.
 */
function readFound<F extends Auth | AuthRefusal | RateRefusal>(found: F): F {
  if (typeof found === 'object' && ('principal' in found ? found.principal && typeof found.principal === 'string' : isRefusal(found))) return found;
  throw new TypeError('`auth` must return a principal or a refusal');
}

function isRefusal({ status, challenge, message }: AuthRefusal | RateRefusal): boolean {
  return (status === 429 || [400, 401, 403].includes(status) && typeof challenge === 'string') && typeof message === 'string';
}

/** RFC 9110, 11.6.1. Throws a TypeError for a field that HTTP cannot carry: a runtime may find that only after it has begun the response. */
function challengeFields({ challenge, headers }: AuthRefusal | RateRefusal): HeaderFields {
  const fields: HeaderFields = { ...challenge && { 'www-authenticate': challenge }, ...headers };
  for (const name in fields) {
    // RFC 9110, 5.1 and 5.5.
    if (!/^[!#$%&'*+.^_`|~\dA-Za-z-]+: [\t\x20-\x7e\x80-\xff]*$/.test(`${name}: ${fields[name]}`)) {
      throw new TypeError(`a refusal has the field ${name.slice(0, 80)}, which is malformed or holds characters that HTTP cannot carry`);
    }
  }
  return fields;
}

/** The status and fields for a thrown `AccessDenied`; undefined for any other value, and for fields that `report` is told of. */
export function denial(thrown: unknown, report: (fault: unknown) => void): { status: number; fields: HeaderFields } | undefined {
  try {
    // Check the name, not the class: the server may use another copy of this package. The name proves little, so check the rest too.
    if (!(thrown instanceof Error && thrown.name === 'AccessDenied')) return undefined;
    const { refusal } = thrown as AccessDenied;
    return isRefusal(refusal) ? { status: refusal.status, fields: challengeFields(refusal) } : undefined;
  } catch (fault) {
    report(fault);
    return undefined;
  }
}

/** Serves a public document to GET, and its preflight. Returns false for any other request. */
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
