import { checkOptions } from '../../../bounds/options.ts';
import type { Shape } from '../../../bounds/options.ts';
import type { Authenticate, Authenticator } from './admission.ts';
import type { FleetPort } from './sharing.ts';
import type { GuardOptions } from './guard.ts';
import type { Health } from './health.ts';
import { defaultHttpLimits } from './limits.ts';
import type { ServiceOptions } from './services.ts';

/** The options of an HTTP server, whatever brings its requests. */
export interface HttpOptions extends ServiceOptions, Pick<GuardOptions, 'allowedHosts' | 'allowedOrigins'> {
  /** The path of the endpoint. Default `/mcp`. */
  path?: string | undefined;
  /**
   * The two paths of HTTP+SSE (2024-11-05), or false for none. Default: `/sse` and `/messages` in the place
   * of the last segment of `path`, where the server has that revision.
   */
  sse?: { path: string; messages: string } | false | undefined;
  /** Answers browsers of allowed origins with CORS headers. Default false. */
  cors?: boolean | undefined;
  /** Lets requests in. Without this option everybody may ask. */
  auth?: Authenticate | Authenticator | undefined;
  /** The `WWW-Authenticate` of a 401 where `auth` gave no reason. Default `Bearer`. */
  challenge?: string | undefined;
  /** Answers the probes of a balancer: `health('/healthz')`. */
  health?: Health | undefined;
  /** Shares sessions with other processes: `await fleet(…)` of `barewire/fleet`. */
  fleet?: FleetPort | undefined;
}

/** For `checkHttpOptions`. */
export const httpShape: Shape<HttpOptions> = {
  path: 'string', sse: 'object or boolean', allowedHosts: 'list or "*"', allowedOrigins: 'list or "*" or "own"', cors: 'boolean',
  auth: 'function or object', challenge: 'string', fleet: 'object', health: 'function', limits: defaultHttpLimits, eventStore: 'object or boolean',
  trace: 'function', onError: 'function',
};

/** Throws a TypeError for an option that is unknown or malformed: a misspelt `auth` would let everybody in. */
export function checkHttpOptions<O extends HttpOptions>(place: string, options: O, shape: Shape<O>): void {
  checkOptions<object>(place, options, shape);
  const { auth, eventStore, sse } = options;
  // Both are required: what is undefined would count as not given.
  if (sse) checkOptions<object>(`${place}.sse`, { ...sse, path: sse.path ?? null, messages: sse.messages ?? null }, { path: 'string', messages: 'string' });
  if (typeof auth === 'object') checkOptions(`${place}.auth.authenticate`, auth.authenticate, 'function');
  if (eventStore) checkOptions(`${place}.eventStore`, eventStore, 'object');
}
