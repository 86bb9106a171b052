import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';
import { isObject } from '../jsonrpc/message.ts';
import {
  headerMismatchCode, invalidParams, missingClientCapabilityCode, unsupportedProtocolVersionCode,
} from '../jsonrpc/errors.ts';
import type { RpcError } from '../jsonrpc/errors.ts';
import type { RequestId } from '../jsonrpc/message.ts';
import { quote } from '../bounds/quote.ts';
import type { ClientCapabilities, Implementation } from './lifecycle.ts';
import { isLoggingLevel, loggingLevels } from './logging.ts';
import type { LoggingLevel } from './logging.ts';
import { findRevision } from './revisions.ts';
import type { Revision } from './revisions.ts';
import { unsupportedVersion } from './unsupported-version.ts';

// The reserved keys of `_meta` as separate constants, so that a bundle has only those that it uses. 2026-07-28 basic/index#_meta.
export const versionKey = 'io.modelcontextprotocol/protocolVersion';
export const clientInfoKey = 'io.modelcontextprotocol/clientInfo';
export const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
export const logLevelKey = 'io.modelcontextprotocol/logLevel';
export const serverInfoKey = 'io.modelcontextprotocol/serverInfo';
export const subscriptionKey = 'io.modelcontextprotocol/subscriptionId';

/** The reserved keys of `_meta`, by the last word of each. */
export const metaKeys: {
  readonly protocolVersion: typeof versionKey;
  readonly clientInfo: typeof clientInfoKey;
  readonly clientCapabilities: typeof capabilitiesKey;
  readonly logLevel: typeof logLevelKey;
  readonly serverInfo: typeof serverInfoKey;
  readonly subscriptionId: typeof subscriptionKey;
} = {
  protocolVersion: versionKey,
  clientInfo: clientInfoKey,
  clientCapabilities: capabilitiesKey,
  logLevel: logLevelKey,
  serverInfo: serverInfoKey,
  subscriptionId: subscriptionKey,
};

/**
 * Error codes by which a client recognizes a modern server. 2026-07-28
 * basic/versioning#backward-compatibility-with-initialization-based-versions.
 */
export const modernErrors: readonly number[] = [
  headerMismatchCode, missingClientCapabilityCode, unsupportedProtocolVersionCode,
];

/** The metadata of a modern request. */
export interface RequestMeta {
  readonly revision: Revision;
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  readonly logLevel: LoggingLevel | undefined;
}

/** The metadata of a message, not checked. */
export type Meta = Readonly<Record<string, unknown>>;

/** The `_meta` of parameters; undefined if it is missing or not an object. */
export function metaOf(params: Record<string, unknown> | undefined): Meta | undefined {
  const meta = params?.['_meta'];
  return isObject(meta) ? meta : undefined;
}

const modernKeys = [versionKey, capabilitiesKey, clientInfoKey];

/**
 * True if a request with this `_meta` is modern: it has one of the keys that only modern requests have.
 */
export function isModern(meta: Meta | undefined): boolean {
  return meta !== undefined
    && modernKeys.some((key) => meta[key] !== undefined);
}

/**
 * Reads the metadata of a modern request. Throws an `RpcError`: `-32602` if a key is missing or malformed, `-32022` if
 * `served` does not contain the version. `known`: the revision, if a header has already named it. 2026-07-28
 * basic/index#_meta, basic/versioning.
 */
export function readRequestMeta(meta: Meta = {}, served: readonly Revision[], known?: Revision): RequestMeta {
  const requested = meta[versionKey];
  if (typeof requested !== 'string') throw malformed(versionKey, 'a string', requested);
  const revision = known?.version === requested ? known : findRevision(served, requested);
  if (revision?.era !== 'modern') throw unsupportedVersion(served, requested);
  const capabilities = meta[capabilitiesKey];
  if (!isObject(capabilities)) throw malformed(capabilitiesKey, 'an object', capabilities);
  const client = meta[clientInfoKey];
  if (client !== undefined && !isImplementation(client)) {
    throw malformed(clientInfoKey, 'an object with a name and a version', client);
  }
  const logLevel = meta[logLevelKey];
  if (logLevel !== undefined && !isLoggingLevel(logLevel)) {
    throw malformed(logLevelKey, `one of ${loggingLevels.join(', ')}`, logLevel);
  }
  return { revision, client, capabilities, logLevel };
}

/** The `_meta` of a modern request, as its client writes it. 2026-07-28 basic/index#_meta. */
export function requestMeta({ revision, client, capabilities, logLevel }: RequestMeta): Record<string, unknown> {
  const meta: Record<string, unknown> = { [versionKey]: revision.version, [clientInfoKey]: client, [capabilitiesKey]: capabilities };
  if (logLevel) meta[logLevelKey] = logLevel;
  return meta;
}

export function isImplementation(value: unknown): value is Implementation {
  return isObject(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string';
}

/** Throws a TypeError for an invalid name or version of a client or a server. */
export function checkInfo(place: string, info: Implementation): void {
  // A missing required member becomes null, which `checkOptions` refuses.
  checkOptions<object>(place, { ...info, name: info?.name ?? null, version: info?.version ?? null }, {
    name: 'string', version: 'string', title: 'string', description: 'string', websiteUrl: 'string', icons: 'list',
  } satisfies Shape<Implementation>);
}

function malformed(key: string, wanted: string, value: unknown): RpcError {
  const what = value === undefined ? 'is missing' : `must be ${wanted}`;
  return invalidParams(`_meta["${key}"] ${what}`);
}

/** The `_meta` of a notification for a subscription. 2026-07-28 basic/patterns/subscriptions. */
export function subscriptionMeta(id: RequestId): Record<string, unknown> {
  return { [subscriptionKey]: id };
}

// Labels of letters, digits and inner hyphens, joined by dots; a slash; a name, or nothing. Every part has a bounded
// length, and no part matches the characters between the parts, so that no input causes long backtracking.
const prefixedName =
  /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)*\/(?:[a-z0-9](?:[a-z0-9._-]{0,253}[a-z0-9])?)?$/i;

/** True if a key of `_meta` is well formed: a name with or without prefix. 2025-06-18 basic/index#_meta. */
export function isMetaKey(key: string): boolean {
  return prefixedName.test(key.includes('/') ? key : `x/${key}`);
}

/** Throws a TypeError for a `_meta` with a malformed key. */
export function checkMeta(what: string, meta: object = {}): void {
  for (const key of Object.keys(meta)) if (!isMetaKey(key)) throw new TypeError(`${what}: _meta has the malformed key ${quote(key)}`);
}

/**
 * True if the identifier of an extension is well formed: a `_meta` key with a prefix. 2026-07-28 basic/index#_meta.
 */
export function isExtensionId(id: string): boolean {
  return prefixedName.test(id);
}

/**
 * The number of different keys that are checked, and the characters of a key: each key is kept. Further and longer keys
 * are not checked.
 */
const maxKeys = 1000;
const maxKeyLength = 256;

/** The members of results and messages that hold objects with their own `_meta`. */
const holders = ['content', 'contents', 'messages', 'resource'] as const;

/**
 * Reports each malformed key once that we send in the `_meta` of a result, a message or their content. A known key
 * costs one look-up. 2025-06-18 basic/index#_meta.
 */
export class MetaWatch {
  readonly #seen = new Set<string>();

  /** `depth`: how many levels of objects and lists to search. */
  look(value: unknown, tell: (fault: Error) => void, depth: number = 6): void {
    if (depth === 0) return;
    if (Array.isArray(value)) for (const item of value) this.look(item, tell, depth - 1);
    else if (isObject(value)) {
      if (isObject(value['_meta'])) this.#judge(Object.keys(value['_meta']), tell);
      for (const holder of holders) if (value[holder]) this.look(value[holder], tell, depth - 1);
    }
  }

  #judge(keys: readonly string[], tell: (fault: Error) => void): void {
    for (const key of keys) {
      if (key.length > maxKeyLength || this.#seen.has(key) || this.#seen.size >= maxKeys) continue;
      this.#seen.add(key);
      if (!isMetaKey(key)) tell(new Error(`_meta has the malformed key ${quote(key)}`));
    }
  }
}
