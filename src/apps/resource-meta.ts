import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';
import { isObject } from '../jsonrpc/door.ts';
import { quote } from '../bounds/quote.ts';
import { parseOrigin } from './origins.ts';

/** The domains that an app needs. Without a list it reaches none of that kind. */
export interface AppCsp {
  /** For `fetch`, `XMLHttpRequest`, `WebSocket`. */
  readonly connectDomains?: readonly string[];
  /** For images, scripts, styles, fonts, media. */
  readonly resourceDomains?: readonly string[];
  /** For frames within the app. */
  readonly frameDomains?: readonly string[];
  /** For `<base href>`. */
  readonly baseUriDomains?: readonly string[];
}

/** What an app asks of the browser beyond a page's own means. */
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
  /** An origin for the app in a certain host: see that host's documentation. */
  readonly domain?: string;
  /** Whether the host draws a border around it. Default: as the host likes. */
  readonly prefersBorder?: boolean;
}

/** What was read of `_meta.ui`: only what a host may use, domains as `parseOrigin` writes them. */
export interface ReadAppMeta {
  readonly meta: AppResourceMeta;
  /** What was left out, and why: for the person. */
  readonly faults: readonly string[];
}

// For `checkOptions`.
export const cspShape: Shape<AppCsp> = { connectDomains: 'list', resourceDomains: 'list', frameDomains: 'list', baseUriDomains: 'list' };
export const permissionsShape: Shape<AppPermissions> =
  { camera: 'object', microphone: 'object', geolocation: 'object', clipboardWrite: 'object' };
/** The features of the browser's Permissions Policy, by the names of the extension. */
const features: Readonly<Record<keyof AppPermissions, string>> =
  { camera: 'camera', microphone: 'microphone', geolocation: 'geolocation', clipboardWrite: 'clipboard-write' };

/** Domains of one list that are read; the others are left out. */
const maxDomains = 100;
/** Faults that are told one by one. */
const maxFaults = 20;

const keysOf = <K extends string>(table: Readonly<Record<K, unknown>>): readonly K[] => Object.keys(table) as K[];

/**
 * Reads `_meta` of an app's resource, which came from a server. Domains that are no origins, and those that `allows` does not
 * let pass, are left out and named: Apps, Host Behavior: a host may restrict further, and never allows what was not declared.
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

/**
 * The Content-Security-Policy of an app's document, for the header of the document that holds it. Each domain is parsed
 * again: throws a TypeError for one that is no origin. Stricter than Apps, Content Security Policy Enforcement: `'self'`
 * would be the host's own sandbox, and forms go nowhere.
 */
export function contentSecurityPolicy(csp: AppCsp = {}): string {
  checkOptions('contentSecurityPolicy: csp', csp, cspShape);
  const { connectDomains = [], resourceDomains = [], frameDomains = [], baseUriDomains = [] } = csp;
  const [connect, resource, frame, base] = [connectDomains, resourceDomains, frameDomains, baseUriDomains].map((one) => one.map(parseOrigin));
  const directive = (name: string, fixed: readonly string[], domains: readonly string[] = []): string => {
    const sources = [...fixed, ...domains];
    return `${name} ${sources.length === 0 ? "'none'" : sources.join(' ')}`;
  };
  return [
    "default-src 'none'",
    directive('script-src', ["'unsafe-inline'"], resource),
    directive('style-src', ["'unsafe-inline'"], resource),
    directive('img-src', ['data:'], resource),
    directive('media-src', ['data:'], resource),
    directive('font-src', [], resource),
    directive('connect-src', [], connect),
    directive('frame-src', [], frame),
    directive('base-uri', [], base),
    "object-src 'none'",
    "worker-src 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** The value of an `allow` attribute for what an app asks for and the person granted. */
export function permissionsPolicy(permissions: AppPermissions = {}): string {
  checkOptions('permissionsPolicy: permissions', permissions, permissionsShape);
  return keysOf(features).filter((name) => Object.hasOwn(permissions, name)).map((name) => features[name]).join('; ');
}
