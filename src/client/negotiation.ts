import { isObject } from '../jsonrpc/message.ts';
import type { Bag } from '../jsonrpc/message.ts';
import { ConnectionError, errorMessage, RpcError, unsupportedProtocolVersionCode } from '../jsonrpc/errors.ts';
import { quote, shorten } from '../bounds/quote.ts';
import { serverSupports } from '../protocol/capabilities.ts';
import { clientLifecycle, mayPass } from '../protocol/lifecycle.ts';
import type { ClientCapabilities, Implementation, ServerCapabilities } from '../protocol/lifecycle.ts';
import { isImplementation, metaOf, modernErrors, serverInfoKey } from '../protocol/meta.ts';
import { mayAsk } from '../protocol/methods.ts';
import { typeOf } from '../protocol/result-type.ts';
import * as revisionTable from '../protocol/revisions.ts';
import { findRevision } from '../protocol/revisions.ts';
import type { Revision } from '../protocol/revisions.ts';
import { block, resourceContents } from '../protocol/shape.ts';
import type { MessageShape } from '../protocol/shape.ts';
import type { ToolHeaders } from '../transport/client-port.ts';
import { HttpError } from '../transport/http/http-error.ts';
import { isFor } from './options.ts';
import type { CoreClientOptions } from './options.ts';
import type { Cache } from './parts.ts';

/** The agreement between a client and a server. */
export interface Agreement {
  readonly revision: Revision;
  readonly capabilities: ServerCapabilities;
  readonly server: Implementation | undefined;
  readonly instructions: string | undefined;
}

/** The client, as a negotiation needs it. */
export interface Negotiator {
  readonly info: Implementation;
  readonly options: CoreClientOptions;
  /** The revisions that may be spoken, newest first. */
  readonly revisions: readonly Revision[];
  /** The revision of an earlier connection to this server, tried first. */
  readonly remembered: Revision | undefined;
  /** Sends `server/discover` in this revision. */
  discover(revision: Revision): Promise<Record<string, unknown>>;
  /** Sends `initialize`. */
  initialize(params: Bag): Promise<Record<string, unknown>>;
  /**
   * Resolves when the probe has waited so long that the server may be a legacy one; undefined if silence proves
   * nothing.
   */
  readonly silence: (() => Promise<void>) | undefined;
  /** Starts the server again after it has exited; undefined if that is not possible. */
  readonly restart: (() => Promise<void>) | undefined;
}

/**
 * Finds the revision that both sides speak: a modern one by `server/discover`, otherwise a legacy one by
 * `initialize`. Rejects if there is none; the error says what each side speaks. Source: 2026-07-28
 * basic/versioning#backward-compatibility-with-initialization-based-versions, and the same section of each transport.
 */
export async function findAgreement(client: Negotiator): Promise<Agreement> {
  const { revisions, remembered } = client;
  const hasLegacy = revisions.some(isLegacy);
  const hasModern = revisions.some((revision) => !isLegacy(revision));
  if (hasLegacy && (!hasModern || remembered?.era === 'legacy')) {
    try {
      return await initialize(client);
    } catch (error) {
      // The remembered revision is stale: the server may have changed its era. Silence and lost connections prove
      // nothing.
      if (!hasModern || !(error instanceof RpcError || error instanceof HttpError)) throw error;
    }
    return readDiscovery(client, await discover(client), () => initialize(client));
  }
  const { silence } = client;
  if (hasLegacy && remembered === undefined && silence) return probe(client, silence);
  return conclude(client, await outcome(discover(client)));
}

type ProbeOutcome<T> = { readonly value: T } | { readonly error: unknown };

const outcome = <T>(promise: Promise<T>): Promise<ProbeOutcome<T>> =>
  promise.then((value) => ({ value }), (error: unknown) => ({ error }));

/** Continues from the answer to `server/discover`. */
async function conclude(
  client: Negotiator, found: ProbeOutcome<Record<string, unknown>>,
  legacy: () => Promise<Agreement> = () => initialize(client),
): Promise<Agreement> {
  if ('value' in found) return readDiscovery(client, found.value, legacy);
  if (!await fallsBack(client, found.error)) throw found.error;
  if (!client.revisions.some(isLegacy)) throw explain(client, found.error);
  return legacy();
}

/**
 * Over a pipe, silence may mean a legacy server, or one that is still starting. So `initialize` is sent while the
 * probe stays open: the first result decides, and a refusal decides nothing while the other request may still be
 * answered. 2026-07-28 basic/transports/stdio#backward-compatibility.
 */
async function probe(client: Negotiator, silence: () => Promise<void>): Promise<Agreement> {
  const probed = outcome(discover(client));
  const early = await Promise.race([probed, silence()]);
  if (early) return conclude(client, early);
  const made = outcome(initialize(client));
  // Undefined: `initialize` has a result, and the probe is still unanswered.
  const found = await Promise.race([probed, made.then((answer) => ('value' in answer ? undefined : probed))]);
  const legacy = async (): Promise<Agreement> => {
    const answer = await made;
    if ('value' in answer) return answer.value;
    throw answer.error;
  };
  if (found === undefined) return legacy();
  // A server that has exited is started again, and its pending requests are lost.
  const left = 'error' in found && found.error instanceof ConnectionError && found.error.reason === 'closed';
  return conclude(client, found, left ? undefined : legacy);
}

const isLegacy = ({ era }: Revision): boolean => era === 'legacy';

/** Whether a failed discovery means that the server is a legacy one: not if the error is a known modern one. */
async function fallsBack(client: Negotiator, error: unknown): Promise<boolean> {
  if (error instanceof RpcError) {
    if (!modernErrors.includes(error.code)) return true;
    if (error.code !== unsupportedProtocolVersionCode) return false;
    // The server speaks both eras, and the sides have no modern revision in common.
    const legacy = client.revisions.filter(isLegacy);
    if (supportedBy(error).some((version) => findRevision(legacy, version))) return true;
    throw explain(client, error);
  }
  // 401 and 403 concern credentials, and say nothing about the era.
  if (error instanceof HttpError) return error.status < 500 && error.status !== 401 && error.status !== 403;
  if (!(error instanceof ConnectionError)) return false;
  if (error.reason !== 'closed') return error.reason === 'timeout';
  // Some legacy servers exit when their first message is not `initialize`.
  if (!client.restart || !client.revisions.some(isLegacy)) return false;
  await client.restart();
  return true;
}

/** Sends discovery in the remembered or the newest modern revision, and once more in one that the server names. */
async function discover(client: Negotiator): Promise<Record<string, unknown>> {
  const modern = client.revisions.filter((revision) => !isLegacy(revision));
  const first = modern.find((revision) => revision === client.remembered) ?? modern[0];
  if (first === undefined) throw new Error('no modern revision is allowed');
  try {
    return await client.discover(first);
  } catch (error) {
    const unsupported = error instanceof RpcError && error.code === unsupportedProtocolVersionCode;
    const supported = unsupported ? supportedBy(error) : [];
    // The server may name the revision that it refused; then it is offered once more.
    const next = modern.find(({ version }) => supported.includes(version));
    if (next === undefined) throw error;
    return client.discover(next);
  }
}

const supportedBy = ({ data }: RpcError): unknown[] =>
  isObject(data) && Array.isArray(data['supported']) ? data['supported'] : [];

async function readDiscovery(
  client: Negotiator, result: Record<string, unknown>, legacy: () => Promise<Agreement>,
): Promise<Agreement> {
  const { supportedVersions, capabilities } = result;
  const type = typeOf(result);
  if (!Array.isArray(supportedVersions) || type !== 'complete') {
    // Not a DiscoverResult: some legacy servers answer every request.
    if (client.revisions.some(isLegacy)) return legacy();
    // 2026-07-28 basic/index#resulttype: an unknown type is invalid.
    if (type !== 'complete') throw new Error('server/discover: the result has an unknown type');
    throw new Error('server/discover: the result has no list of supportedVersions');
  }
  const mutual = client.revisions.find(({ version }) => supportedVersions.includes(version));
  if (mutual === undefined) {
    throw explain(client, new Error(`the server speaks ${listed(supportedVersions)}`));
  }
  if (isLegacy(mutual)) return legacy();
  return agreement(mutual, capabilities, metaOf(result)?.[serverInfoKey], result);
}

/** 2025-11-25 basic/lifecycle#version-negotiation: offer the newest, or the remembered one; accept the answered one, or disconnect. */
async function initialize(client: Negotiator): Promise<Agreement> {
  const legacy = client.revisions.filter(isLegacy);
  const offered = legacy.find((revision) => revision === client.remembered) ?? legacy[0] as Revision;
  const result = await client.initialize({
    protocolVersion: offered.version,
    capabilities: declaredCapabilities(client.options, offered),
    clientInfo: declaredInfo(client.info, offered),
  });
  const revision = findRevision(legacy, result['protocolVersion']);
  if (revision === undefined) {
    throw explain(client, new Error(`the server chose ${quote(result['protocolVersion'])}`));
  }
  return agreement(revision, result['capabilities'], result['serverInfo'], result);
}

function agreement(
  revision: Revision, capabilities: unknown, server: unknown, { instructions }: Record<string, unknown>,
): Agreement {
  return {
    revision,
    capabilities: isObject(capabilities) ? capabilities : {},
    server: isImplementation(server) ? server : undefined,
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

/** The revisions that a server names, on one line. */
const listed = (versions: readonly unknown[]): string => shorten(versions.slice(0, 20).map((version) => (typeof version === 'string' ? version : quote(version))).join(', '));

function explain({ revisions }: Negotiator, cause: unknown): Error {
  const ours = revisions.map(({ version }) => version).join(', ');
  const supported = cause instanceof RpcError ? supportedBy(cause) : [];
  const theirs = supported.length > 0 ? `; the server speaks ${listed(supported)}` : '';
  return new Error(
    `no protocol revision in common: this client speaks ${ours}${theirs} (${errorMessage(cause)})`, { cause },
  );
}

/** The capabilities that the client declares in a revision: those of its parts, and its extensions. */
export function declaredCapabilities(options: CoreClientOptions, revision: Revision): ClientCapabilities {
  const { answering, extensions, capabilities = {} } = options;
  const declared: ClientCapabilities = answering ? answering.capabilities(revision) : {};
  if (capabilities.experimental) declared.experimental = capabilities.experimental;
  const own = Object.entries(extensions ?? {}).filter(([, extension]) => isFor(extension, revision));
  // SEP-2133: in `initialize` as in the `_meta` of 2026-07-28.
  if (own.length > 0 || capabilities.extensions) {
    declared.extensions = { ...capabilities.extensions };
    for (const [id, { settings = {} }] of own) declared.extensions[id] = settings;
  }
  return declared;
}

/** The name and version of the client, with the members that the revision defines. */
export function declaredInfo(info: Implementation, revision: Revision): Implementation {
  if (revisionTable.icons(revision)) return info;
  const { name, version, title } = info;
  return revisionTable.titles(revision) && title !== undefined ? { name, version, title } : { name, version };
}

/** The terms of every request with one method. */
export interface MethodTerms {
  readonly method: string;
  /** The terms of requests with any method. */
  readonly all: Terms;
  /**
   * Whether its result may ask questions. Such a request runs a tool author's code and may take long, so it carries a
   * progress token.
   */
  readonly asks: boolean;
  /** The cache of its results; undefined: they are not kept. */
  readonly cache: Cache | undefined;
  /** The members of its result; undefined: unknown. */
  readonly shape: MessageShape | undefined;
}

/** The number of methods whose terms are kept. Terms of further methods are determined at each request. */
const maxKept = 100;

/** The consequences of an agreement for later requests: determined once for each method, and looked up by each call. */
export class Terms {
  readonly agreement: Agreement;
  /** `_meta` of every request; undefined in the legacy era. */
  meta: Bag | undefined;
  /** The headers that mirror tool arguments; undefined if the transport or the revision has none. */
  readonly headers: ToolHeaders | undefined;
  /** Whether results have types other than `complete`. */
  readonly typed: boolean;
  readonly #options: CoreClientOptions;
  readonly #methods = new Map<string, MethodTerms>();

  constructor(agreement: Agreement, options: CoreClientOptions, meta: Bag | undefined, headers: ToolHeaders | undefined) {
    this.agreement = agreement;
    this.meta = meta;
    this.headers = headers;
    this.typed = revisionTable.resultType(agreement.revision);
    this.#options = options;
  }

  /** The terms of a method. Throws if such a request may not be sent. */
  of(method: string): MethodTerms {
    return this.#methods.get(method) ?? this.#settle(method);
  }

  #settle(method: string): MethodTerms {
    const { revision, capabilities } = this.agreement;
    const { cache, listening } = this.#options;
    // The handshake is over; the modern era has none, and allows the same requests.
    if (!mayPass(clientLifecycle.ready.send, method)) throw new Error(`${method}: the handshake is over`);
    // 2026-07-28 basic/patterns/subscriptions: `subscriptions/listen` replaces these requests.
    if (this.meta && !listening && method.endsWith('subscribe')) {
      throw new Error(
        `${method}: needs subscriptions/listen, and this client was made without \`listening\``,
      );
    }
    if (!serverSupports(method, capabilities, revision)) {
      throw new Error(`${method}: the server did not declare that it supports this`);
    }
    const terms: MethodTerms = {
      method,
      all: this,
      asks: mayAsk(method),
      cache: revisionTable.cacheHints(revision) && cache?.keeps?.(method) !== false ? cache : undefined,
      shape: resultShape(method),
    };
    if (this.#methods.size < maxKept) this.#methods.set(method, terms);
    return terms;
  }
}

/**
 * The members of a method's result by the types of the revisions; undefined for an unknown method. 2025-11-25 schema,
 * server/tools, server/resources, server/prompts.
 */
export function resultShape(method: string): MessageShape | undefined {
  const named = { name: 'string', 'title?': 'string', 'description?': 'string', 'icons?': ['object'], '_meta?': 'object' } as const;
  const located = { ...named, 'mimeType?': 'string', 'annotations?': 'object' } as const;
  switch (method) {
    case 'tools/call': return { content: [block], 'isError?': 'boolean', '_meta?': 'object' };
    case 'tools/list':
      return { tools: [{ ...named, inputSchema: { type: 'string' }, 'outputSchema?': 'object', 'annotations?': 'object', 'execution?': 'object' }] };
    case 'resources/list': return { resources: [{ ...located, uri: 'string', 'size?': 'number' }] };
    case 'resources/templates/list': return { resourceTemplates: [{ ...located, uriTemplate: 'string' }] };
    case 'resources/read': return { contents: [resourceContents] };
    case 'prompts/list': return { prompts: [{ ...named, 'arguments?': [{ ...named, 'required?': 'boolean' }] }] };
    case 'prompts/get': return { 'description?': 'string', messages: [{ role: 'role', content: block }] };
    case 'completion/complete': return { completion: { values: ['string'], 'total?': 'number', 'hasMore?': 'boolean' } };
    default: return undefined;
  }
}
