import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';
import { isObject } from '../jsonrpc/internal-exports.ts';
import { quote } from '../bounds/quote.ts';
import { cspShape, parseOrigin } from './content-security-policy.ts';
import type { AppCsp } from './content-security-policy.ts';

/** The browser features that an app requests. */
export interface AppPermissions {
  readonly camera?: object;
  readonly microphone?: object;
  readonly geolocation?: object;
  readonly clipboardWrite?: object;
}

/** `_meta.ui` of a resource. */
export interface AppResourceMeta {
  readonly csp?: AppCsp;
  readonly permissions?: AppPermissions;
  /** The app's origin in a certain host: see that host's documentation. */
  readonly domain?: string;
  /** Whether the host draws a border around the app. Default: the host decides. */
  readonly prefersBorder?: boolean;
}

/** The members of `_meta.ui` that a host may use, with domains as `parseOrigin` writes them. */
export interface ReadAppMeta {
  readonly meta: AppResourceMeta;
  /** The members that were left out, with the reason: for the person. */
  readonly faults: readonly string[];
}

// For `checkOptions`.
export const permissionsShape: Shape<AppPermissions> =
  { camera: 'object', microphone: 'object', geolocation: 'object', clipboardWrite: 'object' };
/** The features of the browser's Permissions Policy, by the names of the extension. */
const features: Readonly<Record<keyof AppPermissions, string>> =
  { camera: 'camera', microphone: 'microphone', geolocation: 'geolocation', clipboardWrite: 'clipboard-write' };

/** Most domains to read of one list; the others are left out. */
const maxDomains = 100;
/** Most faults to report. */
const maxFaults = 20;

const keysOf = <K extends string>(table: Readonly<Record<K, unknown>>): readonly K[] => Object.keys(table) as K[];

/**
 * Reads the `_meta` of an app's resource, which came from a server. Leaves out, and reports, domains that are not origins or that `allows`
 * refuses. Apps, Host Behavior: a host may restrict further, and never allows what was not declared.
 */
export function readAppMeta(_meta: unknown, allows: (origin: string) => boolean = () => true): ReadAppMeta {
  const faults: string[] = [];
  const fault = (why: string): void => {
    if (faults.length < maxFaults) faults.push(why);
  };
  const ui = isObject(_meta) && Object.hasOwn(_meta, 'ui') ? _meta['ui'] : undefined;
  if (ui === undefined) return { meta: {}, faults };
  if (!isObject(ui)) return { meta: {}, faults: ['_meta.ui is not an object'] };
  const member = (name: string): unknown => (Object.hasOwn(ui, name) ? ui[name] : undefined);
  const [csp, permissions, domain, prefersBorder] = ['csp', 'permissions', 'domain', 'prefersBorder'].map(member);
  const origins = (list: keyof AppCsp): readonly string[] => {
    const given: unknown = isObject(csp) && Object.hasOwn(csp, list) ? csp[list] : undefined;
    if (given === undefined) return [];
    if (!Array.isArray(given)) return fault(`csp.${list} is not a list`), [];
    if (given.length > maxDomains) fault(`csp.${list} has ${given.length} domains: only the first ${maxDomains} are read`);
    const read = given.slice(0, maxDomains).flatMap((one: unknown) => {
      try {
        const origin = parseOrigin(one);
        if (allows(origin)) return [origin];
        fault(`csp.${list}: ${quote(one)} is not allowed here`);
      } catch (thrown) {
        fault(`csp.${list}: ${(thrown as Error).message}`);
      }
      return [];
    });
    return [...new Set(read)];
  };
  if (csp !== undefined && !isObject(csp)) fault('csp is not an object');
  if (permissions !== undefined && !isObject(permissions)) fault('permissions is not an object');
  const declared = keysOf(cspShape).map((list) => [list, origins(list)] as const).filter(([, one]) => one.length > 0);
  const asked = keysOf(features).filter((name) => isObject(permissions) && Object.hasOwn(permissions, name) && isObject(permissions[name]));
  for (const name of isObject(permissions) ? Object.keys(permissions) : []) {
    if (!Object.hasOwn(features, name)) fault(`permissions: ${quote(name)} is unknown`);
  }
  return {
    meta: {
      ...declared.length > 0 && { csp: Object.fromEntries(declared) },
      ...asked.length > 0 && { permissions: Object.fromEntries(asked.map((name) => [name, {}])) },
      ...typeof domain === 'string' && { domain: domain.slice(0, 253) },
      ...typeof prefersBorder === 'boolean' && { prefersBorder },
    },
    faults,
  };
}

/** The value of an `allow` attribute for the permissions that an app requests and the person granted. */
export function permissionsPolicy(permissions: AppPermissions = {}): string {
  checkOptions('permissionsPolicy: permissions', permissions, permissionsShape);
  return keysOf(features).filter((name) => Object.hasOwn(permissions, name)).map((name) => features[name]).join('; ');
}
