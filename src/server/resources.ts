import { isObject } from '../jsonrpc/codec.ts';
import { internalError, invalidParams, RpcError } from '../jsonrpc/errors.ts';
import type { Icon } from '../protocol/base.ts';
import type { Annotations, BlobResourceContents, TextResourceContents } from '../protocol/content.ts';
import type { ServerCapabilities } from '../protocol/initialize.ts';
import type { ReadResourceResult, Resource, ResourceTemplate } from '../protocol/resources.ts';
import { uriTemplate } from '../protocol/uri-template.ts';
import type { UriTemplate, UriVariables } from '../protocol/uri-template.ts';
import { adaptListed } from './adapt.ts';
import { toBase64 } from '../jsonrpc/base64.ts';
import { cacheFields } from './caching.ts';
import type { CacheHint } from './caching.ts';
import type { Completable, Completer, Completers } from './completion.ts';
import type { Context, PlainContext } from './context.ts';
import type { Exchange } from './exchange.ts';
import type { Answer, Feature } from './feature.ts';
import { Registry } from './registry.ts';
import type { Handle } from './registry.ts';
import { after } from './run.ts';
import type { Outcome } from './run.ts';
import type { ServerCore } from './server-core.ts';

interface Described {
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: Annotations;
  readonly icons?: Icon[];
  readonly _meta?: Record<string, unknown>;
  /**
   * 2026-07-28: how long what is read may be kept. Not at all, unless this or the server's option says so.
   */
  readonly cache?: CacheHint;
}

export interface ResourceDefinition extends Described {
  /** For programs. The URI, unless given. */
  readonly name?: string;
  /** Bytes, if known. */
  readonly size?: number;
}

export interface ResourceTemplateDefinition<T extends string = string> extends Described {
  /** For programs. The template, unless given. */
  readonly name?: string;
  /** Suggestions for a variable's value. */
  readonly complete?: Completers<keyof UriVariables<T> & string>;
}

/** Text, bytes, or contents with URIs and types of their own (a directory gives several). */
export type ResourceReturn =
  | string
  | Uint8Array
  | TextResourceContents
  | BlobResourceContents
  | (TextResourceContents | BlobResourceContents)[];

export type ReadResource<C extends PlainContext = Context> = (uri: string, ctx: C) => Outcome<ResourceReturn>;
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
) => Handle<ResourceDefinition>;

/** Registers a family of resources by RFC 6570 template. */
export type AddResourceTemplate<C extends PlainContext> = <const T extends string>(
  template: T,
  definition: ResourceTemplateDefinition<T>,
  read: ReadTemplate<T, C>,
) => Handle<ResourceTemplateDefinition>;

interface ResourceEntry {
  readonly listed: Resource;
  readonly definition: ResourceDefinition;
  readonly run: ReadResource<Exchange>;
}

interface TemplateEntry {
  readonly listed: ResourceTemplate;
  readonly definition: ResourceTemplateDefinition;
  readonly pattern: UriTemplate;
  readonly run: ReadTemplate<string, Exchange>;
}

/** The resources of a server, and their templates. 2025-11-25 server/resources. */
export class Resources<C extends PlainContext = PlainContext> implements Feature, Completable {
  /** Throws where the URI is taken. */
  readonly add: AddResource<C>;
  /** Throws where the template is taken, or is none. */
  readonly addTemplate: AddResourceTemplate<C>;
  readonly methods: Readonly<Record<string, Answer>>;
  readonly #entries: Registry<ResourceEntry>;
  readonly #templates: Registry<TemplateEntry>;

  constructor(server: ServerCore<C>) {
    const changed = (): void => server.changed('resources');
    const entries = this.#entries = new Registry<ResourceEntry>('resource', adaptListed, changed);
    const templates = this.#templates = new Registry<TemplateEntry>(
      'resource template', adaptListed, changed,
    );
    this.add = (uri, definition, read) => entries.register(uri, definition, (changed) => {
      const { cache, ...shown } = changed;
      return {
        listed: { uri, name: uri, ...shown },
        definition: changed,
        run: read as unknown as ResourceEntry['run'],
      };
    });
    this.addTemplate = (template, definition, read) => {
      const pattern = uriTemplate<string>(template);
      return templates.register(template, definition as ResourceTemplateDefinition, (changed) => {
        const { cache, complete, ...shown } = changed;
        const listed = { uriTemplate: template, name: template, ...shown };
        return { listed, definition: changed, pattern, run: read as unknown as TemplateEntry['run'] };
      });
    };
    this.methods = {
      'resources/list': (params, { rules }) => server.list('resources', entries, params, rules),
      'resources/templates/list': (params, { rules }) =>
        server.list('resourceTemplates', templates, params, rules),
      'resources/read': ({ uri }, exchange) => {
        if (typeof uri !== 'string') throw invalidParams('uri must be a string');
        return this.#read(uri, exchange, server.options.cache?.read);
      },
    };
    server.add(this);
  }

  capabilities(): ServerCapabilities | undefined {
    const held = this.#entries.everHeld || this.#templates.everHeld;
    return held ? { resources: { subscribe: true, listChanged: true } } : undefined;
  }

  /**
   * The resource of this URI, otherwise the first template that it fits and that has it.
   * 2025-11-25 server/resources#error-handling: `-32002` where there is none; `-32602` from 2026-07-28 on.
   */
  #read(
    uri: string,
    exchange: Exchange,
    fallback: CacheHint | undefined,
  ): ReadResourceResult | Promise<ReadResourceResult> {
    const entry = this.#entries.get(uri);
    if (entry) {
      return after(
        exchange.settle(entry.run(uri, exchange)),
        (value) => toResult(uri, value, entry.definition, exchange, fallback),
      );
    }
    for (const { pattern, run, definition } of this.#templates.values()) {
      const variables = pattern.match(uri);
      if (variables === undefined) continue;
      return after(exchange.settle(run(variables, exchange, uri)), (value) => {
        if (value === undefined) throw notFound(uri, exchange);
        return toResult(uri, value, definition, exchange, fallback);
      });
    }
    throw notFound(uri, exchange);
  }

  completes(): boolean {
    return [...this.#templates.values()].some(({ definition }) => definition.complete);
  }

  completer(ref: string, argument: string): Completer | undefined {
    // A resource's own URI is a legal reference, with nothing to complete.
    if (this.#entries.get(ref)) return undefined;
    const { pattern, definition } = this.#templates.require(ref);
    if (!pattern.variables.includes(argument)) throw invalidParams(`argument.name is no variable of ${ref}`);
    const completers = definition.complete as Readonly<Record<string, Completer>> | undefined;
    return completers && Object.hasOwn(completers, argument) ? completers[argument] : undefined;
  }
}

function notFound(uri: string, { rules }: Exchange): RpcError {
  return new RpcError(rules.resourceNotFound, `Resource not found: ${uri}`, { uri });
}

function toResult(
  uri: string,
  value: ResourceReturn,
  { mimeType, cache }: Described,
  { rules }: Exchange,
  fallback: CacheHint | undefined,
): ReadResourceResult {
  const contents = Array.isArray(value) ? value : [toContents(uri, value, mimeType)];
  return { contents, ...rules.cacheHints && cacheFields(cache ?? fallback) };
}

function toContents(
  uri: string,
  value: Exclude<ResourceReturn, unknown[]>,
  mimeType: string | undefined,
): TextResourceContents | BlobResourceContents {
  const base = mimeType === undefined ? { uri } : { uri, mimeType };
  if (typeof value === 'string') return { ...base, text: value };
  if (value instanceof Uint8Array) return { ...base, blob: toBase64(value) };
  if (isObject(value)) return { ...base, ...value };
  throw internalError(`Resource ${uri} returned neither text nor bytes nor contents`);
}
