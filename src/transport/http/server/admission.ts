import { refusalData } from '../../port.ts';
import type { AccessDenied, Auth, AuthRefusal } from '../../port.ts';
import type { Authenticated, Authenticator } from './authenticator.ts';
import type { HeaderFields, HttpRequest } from './http-request.ts';
import type { HttpOptions } from './options.ts';
import { refuse } from './refuse.ts';
import type { EndpointServices } from './services.ts';

/** Passes a request on once its credentials are checked, with who asks; or refuses it. */
export type Admit = (request: HttpRequest, admitted: (auth: Auth | undefined) => void) => void;

const scoped = 'the server has scopes, and `auth` is missing: expected what says whose request it is';

/** Without `auth` everybody is admitted. Throws where something of the server has `scopes`, which nobody would check. */
export function createAdmit(services: EndpointServices, { auth, challenge }: HttpOptions): Admit {
  if (auth === undefined) {
    const { catalogue } = services.server.side;
    const isScoped = (): boolean => catalogue.features.some((feature) => feature.scoped);
    if (isScoped()) throw new TypeError(scoped);
    return (request, admitted) => {
      if (!isScoped()) return admitted(undefined);
      // It was registered after the start.
      services.report(new TypeError(scoped));
      refuse(services, request, 500, 'The credentials could not be checked');
    };
  }
  const authenticator: Authenticator = typeof auth === 'function' ? { authenticate: auth } : auth;
  const missing: AuthRefusal = {
    status: 401, challenge: challenge ?? authenticator.challenge ?? 'Bearer', message: 'Unauthorized',
  };

  async function check(request: HttpRequest, admitted: (auth: Auth) => void): Promise<void> {
    let found: Authenticated;
    try {
      found = await authenticator.authenticate(request);
    } catch (thrown) {
      services.report(thrown);
      return refuse(services, request, 500, 'The credentials could not be checked');
    }
    if (found && 'principal' in found) return admitted(found);
    const refusal = found ?? missing;
    refuse(services, request, refusal.status, refusal.message, {
      fields: challengeFields(refusal), data: refusalData(refusal),
    });
  }
  return (request, admitted) => services.track(check(request, admitted));
}

/** RFC 9110, 11.6.1. */
function challengeFields({ challenge, headers }: AuthRefusal): HeaderFields {
  return { 'www-authenticate': challenge, ...headers };
}

/** The response that a thrown `AccessDenied` asks for; undefined for anything else. */
export function denial(thrown: unknown): { status: number; fields: HeaderFields } | undefined {
  // By name: the server may be of another copy of this package.
  if (!(thrown instanceof Error && thrown.name === 'AccessDenied')) return undefined;
  const { refusal } = thrown as AccessDenied;
  return { status: refusal.status, fields: challengeFields(refusal) };
}
