import { isObject } from '../jsonrpc/codec.ts';
import { internalError, RpcError } from '../jsonrpc/errors.ts';
import type { Icon } from '../protocol/base.ts';
import type { Annotations, BlobResourceContents, TextResourceContents } from '../protocol/content.ts';
import type { ReadResourceResult, Resource, ResourceTemplate } from '../protocol/resources.ts';
import type { UriTemplate, UriVariables } from '../protocol/uri-template.ts';
import { toBase64 } from './base64.ts';
import type { Completers } from './completion.ts';
import type { Context } from './context.ts';
import type { Exchange } from './exchange.ts';
import { after, settle } from './run.ts';
import type { Outcome } from './run.ts';

export interface CacheHint {
  /** Milliseconds for which a client may keep the result. */
  readonly ttlMs?: number;
  /** `public`: the same for everybody, so that caches may share it. */
  readonly scope?: 'public' | 'private';
}

interface Described {
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: Annotations;
  readonly icons?: Icon[];
  readonly _meta?: Record<string, unknown>;
  /** 2026-07-28: how long what is read may be kept. Not at all, unless this or the server's option says so. */
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

export type ReadResource = (uri: string, ctx: Context) => Outcome<ResourceReturn>;
export type ReadTemplate<T extends string> = (
  variables: UriVariables<T>,
  ctx: Context,
  uri: string,
) => Outcome<ResourceReturn | undefined>;

export interface ResourceEntry {
  readonly listed: Resource;
  readonly definition: ResourceDefinition;
  readonly run: ReadResource;
}

export interface TemplateEntry {
  readonly listed: ResourceTemplate;
  readonly definition: ResourceTemplateDefinition;
  readonly pattern: UriTemplate;
  readonly run: ReadTemplate<string>;
}

export function resourceEntry(uri: string, definition: ResourceDefinition, run: ReadResource): ResourceEntry {
  const { cache, ...shown } = definition;
  return { listed: { uri, name: uri, ...shown }, definition, run };
}

export function templateEntry(
  pattern: UriTemplate,
  text: string,
  definition: ResourceTemplateDefinition,
  run: ReadTemplate<string>,
): TemplateEntry {
  const { cache, complete, ...shown } = definition;
  return { listed: { uriTemplate: text, name: text, ...shown }, definition, pattern, run };
}

/**
 * Answers `resources/read`: the resource of this URI, otherwise the first template that it fits and that has it.
 * 2025-11-25 server/resources#error-handling: `-32002` where there is none; `-32602` from 2026-07-28 on.
 */
export function readResource(
  uri: string,
  entry: ResourceEntry | undefined,
  templates: Iterable<TemplateEntry>,
  exchange: Exchange,
  fallback: CacheHint | undefined,
): ReadResourceResult | Promise<ReadResourceResult> {
  if (entry) {
    return after(settle(entry.run(uri, exchange), exchange), (value) =>
      toResult(uri, value, entry.definition, exchange, fallback));
  }
  for (const { pattern, run, definition } of templates) {
    const variables = pattern.match(uri);
    if (variables === undefined) continue;
    return after(settle(run(variables as never, exchange, uri), exchange), (value) => {
      if (value === undefined) throw notFound(uri, exchange);
      return toResult(uri, value, definition, exchange, fallback);
    });
  }
  throw notFound(uri, exchange);
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

/** 2026-07-28 server/utilities/caching: both fields, always; kept for nobody unless the author says otherwise. */
export function cacheFields(hint: CacheHint | undefined): { ttlMs: number; cacheScope: 'public' | 'private' } {
  return { ttlMs: Math.max(0, Math.floor(hint?.ttlMs ?? 0)), cacheScope: hint?.scope ?? 'private' };
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
