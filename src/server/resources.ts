import { checkOptions } from '../bounds/options.ts';
import { isBase64, isObject } from '../jsonrpc/message.ts';
import { invalidParams, RpcError } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import { shorten } from '../bounds/quote.ts';
import type { Icon } from '../protocol/base.ts';
import * as revisionTable from '../protocol/revisions.ts';
import type { Annotations, BlobResourceContents, TextResourceContents } from '../protocol/content.ts';
import { checkMeta } from '../protocol/meta.ts';
import type { Resource, ResourceTemplate } from '../protocol/resources.ts';
import { uriTemplate } from '../protocol/uri-template.ts';
import type { UriTemplate, UriVariables } from '../protocol/uri-template.ts';
import { adaptListed } from './older-revisions.ts';
import { checkDefinition, RawResult, Registry } from './registry.ts';
import type { Guarded, EntryHandle, RegisteredHandler, OwnShape } from './registry.ts';
import { toBase64 } from '../jsonrpc/base64.ts';
import { cacheFields, hintShape } from './caching.ts';
import type { CacheHint, Caching } from './caching.ts';
import type { Completable, Completer, Completers } from './completion.ts';
import type { Context, PlainContext, Listener, Outcome } from './context.ts';
import type { Exchange } from './exchange.ts';
import { hostOf } from './feature.ts';
import type { MethodHandler, Feature, FeatureHost } from './feature.ts';
import { checkScopes } from './guards.ts';
import { notKept } from './server-core.ts';
import { watchedResources } from './watched-resources.ts';

interface Described extends Guarded {
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: Annotations;
  readonly icons?: Icon[];
  readonly _meta?: Record<string, unknown>;
  /** How long clients of 2026-07-28 may cache the contents. Default: the server's `caching`, otherwise not at all. */
  readonly cache?: CacheHint;
}

/** The definition of a resource. */
export interface ResourceDefinition extends Described {
  /** For programs. Default: the URI. */
  readonly name?: string;
  /** Bytes, if known. */
  readonly size?: number;
}

/** The definition of a family of resources. */
export interface ResourceTemplateDefinition<T extends string = string> extends Described {
  /** For programs. Default: the template. */
  readonly name?: string;
  /** Suggestions for a variable's value. */
  readonly complete?: Completers<keyof UriVariables<T> & string>;
}

/** The return value of a resource's handler: text, bytes, or contents with their own URIs and types (a directory gives several). */
export type ResourceReturn =
  | string
  | Uint8Array
  | TextResourceContents
  | BlobResourceContents
  | (TextResourceContents | BlobResourceContents)[];

/** Reads a resource. A throw is an error response: see `ToolError`. */
export type ReadResource<C extends PlainContext = Context> = (uri: string, ctx: C) => Outcome<ResourceReturn>;
/**
 * Reads a resource of a family; undefined: no resource has this URI. The value of a plain variable (`{name}`) has no `/` or `\\`,
 * no control character, and is neither `.` nor `..`; `{+path}` is unchecked, `../` included: check it before using it as a file
 * path.
 */
export type ReadTemplate<T extends string, C extends PlainContext = Context> = (
  variables: UriVariables<T>,
  ctx: C,
  uri: string,
) => Outcome<ResourceReturn | undefined>;

/** Registers a resource. */
export type AddResource<C extends PlainContext> = (
  uri: string,
  definition: ResourceDefinition,
  read: ReadResource<C>,
) => EntryHandle<ResourceDefinition>;

/** Registers a family of resources by RFC 6570 template. */
export type AddResourceTemplate<C extends PlainContext> = <const T extends string>(
  template: T,
  definition: ResourceTemplateDefinition<T>,
  read: ReadTemplate<T, C>,
) => EntryHandle<ResourceTemplateDefinition>;

interface ResourceEntry extends RegisteredHandler<ResourceReturn | undefined> {
  readonly listed: Resource;
  readonly definition: ResourceDefinition;
}

interface TemplateEntry extends RegisteredHandler<ResourceReturn | undefined> {
  readonly listed: ResourceTemplate;
  readonly definition: ResourceTemplateDefinition;
  readonly pattern: UriTemplate;
}

/** The resources of a server, and their templates. */
export interface Resources<C extends PlainContext = PlainContext> extends Feature<C>, Completable {
  /** Registers a resource. Throws if the URI is taken or malformed. */
  readonly add: AddResource<C>;
  /** Registers a family of resources. Throws if the template is taken or malformed. */
  readonly addTemplate: AddResourceTemplate<C>;
}

/** RFC 3986: a scheme, and then only characters of a URI. Templates may also have braces. */
const uriPattern = /^[a-z][a-z\d+.-]*:(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[\da-f]{2})*$/i;
const templatePattern = /^(?:\{|[a-z][a-z\d+.-]*[:{])/i;

/** The common shape of resources and templates. */
const describedShape: OwnShape<Described & Pick<ResourceDefinition, 'name'>> = {
  name: 'string', title: 'string', description: 'string', mimeType: 'string',
  annotations: { audience: 'list', priority: 'number', lastModified: 'string' }, cache: hintShape,
};

/** Makes the feature that serves resources and their templates. 2025-11-25 server/resources. */
export function resources<C extends PlainContext = PlainContext>(): Resources<C> {
  const entries = new Registry<ResourceEntry>('resource', 'resources', adaptListed);
  const templates = new Registry<TemplateEntry>('resource template', 'resources', adaptListed);
  const watched = watchedResources({
    check(uri, exchange) {
      const found = findWatched(entries, templates, uri, exchange);
      if (found && found !== 'hidden') checkScopes(found.definition, exchange);
    },
    visible: (uri, listener) => findWatched(entries, templates, uri, listener) !== 'hidden',
  });
  const methods: Record<string, MethodHandler> = {
    'resources/list': (params, exchange, host) => host.page('resources', entries, params, exchange),
    'resources/templates/list': (params, exchange, host) => host.page('resourceTemplates', templates, params, exchange),
    'resources/read': (params, exchange, host) => readResource(entries, templates, params, exchange, host),
  };
  const finish: Finish = (value, definition, exchange, { uri }) => {
    if (value === undefined) throw notFound(uri as string, exchange);
    return toResult(uri as string, value, definition, exchange, entries.host?.caching);
  };
  return {
    attach(host) {
      entries.attach(host);
      templates.attach(host);
    },
    rechain(host) {
      entries.rechain(host);
      templates.rechain(host);
    },
    add(uri, definition, read) {
      if (!uriPattern.test(uri)) throw new TypeError(`resource ${JSON.stringify(uri)}: not a URI (RFC 3986), such as notes://today`);
      return entries.register(uri, definition, (current) => resourceEntry(uri, current, read as unknown as ResourceEntry['handler'], finish));
    },
    addTemplate(template, definition, read) {
      const pattern = uriTemplate<string>(template);
      if (!templatePattern.test(template)) {
        throw new TypeError(`resource template ${JSON.stringify(template)}: it must begin with a scheme`);
      }
      const handler = read as unknown as ReadTemplate<string, Exchange>;
      return templates.register(
        template, definition as ResourceTemplateDefinition, (current) => templateEntry(template, pattern, current, handler, finish),
      );
    },
    methods: ({ era }) => era === 'modern' ? methods : {
      ...methods, 'resources/subscribe': watched.subscribe, 'resources/unsubscribe': watched.unsubscribe,
    },
    filters: { resourceSubscriptions: watched.agree },
    resourceUpdated(uri) {
      watched.updated(uri, entries.host);
    },
    capabilities: (_revision, { changes }) => entries.everHeld || templates.everHeld
      ? { resources: changes ? { subscribe: true, listChanged: true } : {} }
      : undefined,
    get scoped() {
      return entries.scoped || templates.scoped;
    },
    completes: () => [...templates.values()].some(({ definition }) => definition.complete),
    completer: (ref, argument, exchange) => completerOf(entries, templates, ref, argument, exchange),
  };
}

/** Makes the result from the value of a handler. */
type Finish = (value: ResourceReturn | undefined, definition: Described, exchange: Exchange, params: Params) => object;

function checkDescribed<D extends Described>(kind: string, name: string, definition: D, handler: unknown, shape: OwnShape<D>): void {
  checkDefinition<D>(kind, name, definition, handler, shape);
  cacheFields(definition.cache);
  checkMeta(`${kind} ${JSON.stringify(name)}`, definition._meta);
}

function resourceEntry(uri: string, definition: ResourceDefinition, handler: ResourceEntry['handler'], finish: Finish): ResourceEntry {
  checkDescribed<ResourceDefinition>('resource', uri, definition, handler, { ...describedShape, size: 'number' });
  const { cache, needs, scopes, data, ...shown } = definition;
  return {
    kind: 'resource',
    name: uri,
    listed: { uri, name: uri, ...shown },
    definition,
    handler,
    toResult(value, exchange, params) {
      if (value === undefined) throw new TypeError('the handler returned nothing');
      return finish(value, definition, exchange, params);
    },
  };
}

function templateEntry(
  template: string, pattern: UriTemplate, definition: ResourceTemplateDefinition, read: ReadTemplate<string, Exchange>, finish: Finish,
): TemplateEntry {
  checkDescribed<ResourceTemplateDefinition>('resource template', template, definition, read, { ...describedShape, complete: 'object' });
  const { cache, complete, needs, scopes, data, ...shown } = definition;
  checkOptions<object>(
    `resource template ${JSON.stringify(template)}.definition.complete`, complete ?? {},
    Object.fromEntries(pattern.variables.map((name) => [name, 'function'])),
  );
  return {
    kind: 'resource',
    name: template,
    listed: { uriTemplate: template, name: template, ...shown },
    definition,
    pattern,
    handler: (variables, exchange, { uri }) => read(variables, exchange, uri as string),
    toResult: (value, exchange, params) => finish(value, definition, exchange, params),
  };
}

/**
 * The resource or template for this URI that the listener may see; `hidden`: all of them are hidden. Undefined: it does not exist, and
 * such a URI may be watched too.
 */
function findWatched(
  entries: Registry<ResourceEntry>, templates: Registry<TemplateEntry>, uri: string, listener: Listener,
): ResourceEntry | TemplateEntry | 'hidden' | undefined {
  const host = hostOf(entries.host);
  const entry = entries.get(uri);
  if (entry && host.shows('resources', entry, listener)) return entry;
  let hidden = entry !== undefined;
  for (const template of templates.values()) {
    if (template.pattern.match(uri) === undefined) continue;
    if (host.shows('resourceTemplates', template, listener)) return template;
    hidden = true;
  }
  return hidden ? 'hidden' : undefined;
}

function completerOf(
  entries: Registry<ResourceEntry>, templates: Registry<TemplateEntry>, ref: string, argument: string, exchange: Exchange,
): Completer | undefined {
  const host = hostOf(entries.host);
  const entry = entries.get(ref);
  // A resource's own URI is a valid reference, with nothing to complete.
  if (entry && host.shows('resources', entry, exchange)) return undefined;
  const { pattern, definition } = templates.find('resourceTemplates', ref, exchange);
  checkScopes(definition, exchange);
  if (!pattern.variables.includes(argument)) throw invalidParams(`argument.name is not a variable of ${shorten(ref)}`);
  const completers = definition.complete as Readonly<Record<string, Completer>> | undefined;
  return completers && Object.hasOwn(completers, argument) ? completers[argument] : undefined;
}

/**
 * Reads the resource of this URI, otherwise the first template that it matches. 2025-11-25 server/resources#error-handling:
 * `-32002` for a URI without a resource; `-32602` from 2026-07-28 on.
 */
function readResource(
  entries: Registry<ResourceEntry>,
  templates: Registry<TemplateEntry>,
  params: Params,
  exchange: Exchange,
  host: FeatureHost,
): object | Promise<object> {
  const { uri } = params;
  if (typeof uri !== 'string') throw invalidParams('uri must be a string');
  const entry = entries.get(uri);
  if (entry && host.shows('resources', entry, exchange)) return entry.run(uri, params, exchange);
  for (const template of templates.values()) {
    const variables = template.pattern.match(uri);
    if (variables === undefined || !host.shows('resourceTemplates', template, exchange)) continue;
    return template.run(variables, params, exchange);
  }
  throw notFound(uri, exchange);
}

function notFound(uri: string, { revision }: Exchange): RpcError {
  return new RpcError(revisionTable.resourceNotFound(revision), `Resource not found: ${shorten(uri)}`, { uri: shorten(uri) });
}

function toResult(
  uri: string,
  value: ResourceReturn,
  { mimeType, cache }: Described,
  { revision }: Exchange,
  caching: Caching | undefined,
): object {
  if (value as unknown instanceof RawResult) return (value as unknown as RawResult).result;
  const contents = Array.isArray(value) ? value : [toContents(uri, value, mimeType)];
  // 2026-07-28 server/resources#security-considerations: "Binary data MUST be properly encoded".
  for (const one of contents) if ('blob' in one && !isBase64(one.blob)) throw new TypeError('blob must be base64');
  return { contents, ...revisionTable.cacheHints(revision) && (cache ? cacheFields(cache) : caching?.fields('read') ?? notKept) };
}

function toContents(
  uri: string,
  value: Exclude<ResourceReturn, unknown[]>,
  mimeType: string | undefined,
): TextResourceContents | BlobResourceContents {
  const base = { uri, mimeType };
  if (typeof value === 'string') return { ...base, text: value };
  if (value instanceof Uint8Array) return { ...base, blob: toBase64(value) };
  if (isObject(value)) return { ...base, ...value };
  throw new TypeError('the handler must return text, bytes or contents');
}
