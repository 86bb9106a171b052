import type { EndpointServices } from './services.ts';
import type { Sessions } from './sessions.ts';

/** What an endpoint needs of a fleet. `fleet()` of `barewire/fleet` implements it. */
export interface FleetPort {
  /** The sessions of an endpoint, which other processes serve too; `local` holds those that are open here. */
  share(services: EndpointServices, local: Sessions): Sessions;
}
