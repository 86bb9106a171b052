import type { Authenticate, Authenticator } from './authenticator.ts';
import type { FleetPort } from './fleet-port.ts';
import type { ServiceOptions } from './services.ts';

/** The options of an HTTP server, whatever brings its requests. */
export interface HttpOptions extends ServiceOptions {
  /** The path of the endpoint. Default `/mcp`. */
  path?: string | undefined;
  /**
   * The two paths of HTTP+SSE (2024-11-05), or false for none. Default: `/sse` and `/messages` in the place
   * of the last segment of `path`, where the server has that revision.
   */
  sse?: { path: string; messages: string } | false | undefined;
  /**
   * Hosts that the `Host` header may name, without a port for every port; '*' for all. Default: localhost,
   * 127.0.0.1 and [::1], against DNS rebinding.
   */
  allowedHosts?: readonly string[] | '*' | undefined;
  /** Origins that the `Origin` header may name; '*' for all. Default: those whose host is a loopback name. */
  allowedOrigins?: readonly string[] | '*' | undefined;
  /** Answers browsers of allowed origins with CORS headers. Default false. */
  cors?: boolean | undefined;
  /** Lets requests in. Without this option everybody may ask. */
  auth?: Authenticate | Authenticator | undefined;
  /** The `WWW-Authenticate` of a 401 where `auth` gave no reason. Default `Bearer`. */
  challenge?: string | undefined;
  /** Shares sessions with other processes: `await fleet(…)` of `barewire/fleet`. */
  fleet?: FleetPort | undefined;
}
