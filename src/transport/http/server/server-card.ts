/**
 * `barewire/server-card`: `serverCard`, the card of an HTTP server (SEP-2127, a draft).
 *
 * @module
 */

import { checkOptions } from '../../../bounds/options.ts';
import type { Shape } from '../../../bounds/options.ts';
import * as revisionTable from '../../../protocol/revisions.ts';
import type { Implementation } from '../../../protocol/lifecycle.ts';
import { checkMeta } from '../../../protocol/meta.ts';
import type { Revision } from '../../../protocol/revisions.ts';
import { digestOf } from '../redact.ts';
import { createGuard } from './origin-validation.ts';
import type { GuardOptions } from './origin-validation.ts';
import type { HeaderFields, HttpRequest } from './http-request.ts';
import { refuse } from './error-response.ts';
import type { EndpointServices } from './services.ts';

// Server Cards, SEP-2127 (a draft): github.com/modelcontextprotocol/experimental-ext-server-card, schema.ts and docs/discovery.md.

/** A value for a remote endpoint: the user enters it, or it is preset. */
export interface CardInput {
  readonly description?: string | undefined;
  readonly isRequired?: boolean | undefined;
  readonly isSecret?: boolean | undefined;
  readonly format?: 'string' | 'number' | 'boolean' | 'filepath' | undefined;
  readonly default?: string | undefined;
  readonly placeholder?: string | undefined;
  /** May hold names in braces, which stand for `variables`. */
  readonly value?: string | undefined;
  readonly choices?: readonly string[] | undefined;
}

/** A header field that a remote endpoint needs. */
export interface CardHeader extends CardInput {
  readonly name: string;
  readonly variables?: Readonly<Record<string, CardInput>> | undefined;
}

/** One address of a server. */
export interface CardRemote {
  readonly type: 'streamable-http' | 'sse';
  /** Begins with `http://`, `https://` or a name in braces. */
  readonly url: string;
  readonly headers?: readonly CardHeader[] | undefined;
  readonly variables?: Readonly<Record<string, CardInput>> | undefined;
  /** Default: the revisions of the server that have this transport. */
  readonly supportedProtocolVersions?: readonly string[] | undefined;
}

/** The source code repository of a server. */
export interface CardRepository {
  readonly url: string;
  /** The host of the repository, such as `github`. */
  readonly source: string;
  readonly subfolder?: string | undefined;
  readonly id?: string | undefined;
}

/** The data of a card that is not in the server's `info`: `title`, `version`, `websiteUrl` and `icons` come from there. */
export interface CardOptions {
  /** In reverse DNS form, such as `com.example/trips`. Default: the server's name, which must then have that form. */
  readonly name?: string | undefined;
  /** At most 100 characters. Default: the server's description. */
  readonly description?: string | undefined;
  readonly repository?: CardRepository | undefined;
  /** Default: none, so that no address is published unless you choose to. */
  readonly remotes?: readonly CardRemote[] | undefined;
  /** Vendor data, by prefixed names. */
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
  /** Responses of this endpoint in a minute, to all clients together; the next request gets 429. 600. */
  readonly requestsPerMinute?: number | undefined;
}

/** The server of a card. `McpServer` and `ServerCore` implement it. */
export interface CardServer {
  readonly info: Implementation;
  readonly revisions: readonly Revision[];
}

/** Answers a request for the card. Returns false for any other request. */
export type ServeCard = (request: HttpRequest, services: EndpointServices, at: GuardOptions & { readonly path?: string | undefined }) => boolean;

const schema = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json';

const crossOrigin: HeaderFields = {
  // docs/discovery.md#cors-requirements: with these fields, pages of every origin can read it.
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET',
  'access-control-allow-headers': 'Content-Type, If-None-Match',
  'access-control-expose-headers': 'ETag',
};

const inputShape: Shape<CardInput> = {
  description: 'string', isRequired: 'boolean', isSecret: 'boolean', format: '"string" or "number" or "boolean" or "filepath"',
  default: 'string', placeholder: 'string', value: 'string', choices: 'list',
};
const remoteShape: Shape<CardRemote> = {
  type: '"streamable-http" or "sse"', url: 'string', headers: 'list', variables: 'object', supportedProtocolVersions: 'list',
};
const optionsShape: Shape<CardOptions> = {
  name: 'string', description: 'string', remotes: 'list', _meta: 'object', requestsPerMinute: 'number',
  repository: { url: 'string', source: 'string', subfolder: 'string', id: 'string' },
};

/**
 * The `card` option of `serveHttp`, `httpListener` and `fetchHandler`: GET of the endpoint's path plus `/server-card` returns
 * the server's card, for any `Origin` and without `auth`; `allowedHosts` applies. Everybody may read a card, so it has
 * only data from these options and the server's `info`. Throws a TypeError if they make an invalid card,
 * and a RangeError for `requestsPerMinute` below 1.
 */
export function serverCard(server: CardServer, options: CardOptions = {}): ServeCard {
  checkOptions('serverCard: options', options, optionsShape);
  const text = JSON.stringify(cardOf(server, options));
  const { requestsPerMinute = 600 } = options;
  if (!(requestsPerMinute >= 1)) throw new RangeError(`serverCard: options.requestsPerMinute must be 1 or more, not ${requestsPerMinute}`);
  const length = new TextEncoder().encode(text).length;
  const etag = `"${digestOf(text)}-${length}"`;
  const perRequest = 60_000 / requestsPerMinute;
  let restedAt = 0;

  /** Whether one more request is answered. docs/discovery.md#denial-of-service: servers SHOULD limit the rate. */
  function takes(at: number): boolean {
    const rested = Math.max(at, restedAt) + perRequest;
    // A sum of many fractions is not exact.
    if (rested - at > 60_000 + perRequest / 1000) return false;
    restedAt = rested;
    return true;
  }

  return (request, services, { path = '/mcp', allowedHosts }) => {
    const { method } = request;
    if (request.path !== `${path}/server-card` || !['GET', 'HEAD', 'OPTIONS'].includes(method)) return false;
    // The endpoint's guard, which reads the same `Host`, refuses the request.
    if (createGuard({ allowedHosts, allowedOrigins: '*' })(request, request.mcp) !== undefined) return false;
    request.common = { ...request.common, ...crossOrigin };
    if (!takes(services.clock.monotonic())) {
      refuse(services, request, 429, `Too many requests: the limit is ${requestsPerMinute} in a minute`);
    } else if (method === 'OPTIONS') request.respond(204, '');
    else {
      // RFC 9110, 13.1.2: If-None-Match compares weakly. 8.6: a 304 has the length that the 200 would have.
      const known = request.header('if-none-match')?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
      request.respond(known ? 304 : 200, known || method === 'HEAD' ? '' : text, {
        'content-type': 'application/mcp-server-card+json', 'content-length': length, 'cache-control': 'public, max-age=3600', etag,
      });
    }
    return true;
  };
}

/** Makes the card: schema.ts, `ServerCard`. */
function cardOf({ info, revisions }: CardServer, options: CardOptions): object {
  const { name = info.name, description = info.description, repository, remotes, _meta } = options;
  const { version, title, websiteUrl, icons } = info;
  if (name.length > 200 || !/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/.test(name)) {
    throw new TypeError(`serverCard: the name ${JSON.stringify(name)} must be like com.example/trips: give options.name`);
  }
  // schema.ts: a single version, not a range.
  if (version.length > 255 || /(?:^|\s)[\^~<>=-]|(?:^|\.)[xX*](?:\.|$)|\|/.test(version)) {
    throw new TypeError(`serverCard: the server's version ${JSON.stringify(version)} is a range, or longer than 255 characters`);
  }
  if (!(description && description.length <= 100)) {
    throw new TypeError('serverCard: a description of 1 to 100 characters is needed: give options.description');
  }
  if (title !== undefined && !(title && title.length <= 100)) throw new TypeError("serverCard: the server's title must have 1 to 100 characters");
  if (websiteUrl !== undefined) checkUrl("the server's websiteUrl", websiteUrl);
  for (const { src } of icons ?? []) checkUrl("an icon's src", src);
  if (repository) {
    checkOptions<object>('serverCard: options.repository', { ...repository, url: repository.url ?? null, source: repository.source ?? null },
      { url: 'string', source: 'string', subfolder: 'string', id: 'string' });
    checkUrl('options.repository.url', repository.url);
    if (/^\/|\\|(?:^|\/)\.{0,2}(?:\/|$)/.test(repository.subfolder ?? 'a')) throw new TypeError('serverCard: options.repository.subfolder must be a relative path with slashes, without empty, . or .. segments');
  }
  checkMeta('serverCard: options', _meta);
  return {
    $schema: schema, name, version, description, title, websiteUrl, repository,
    icons: icons?.map(({ src, mimeType, sizes, theme }) => ({ src, mimeType, sizes, theme })),
    remotes: remotes?.map((remote, at) => remoteOf(`serverCard: options.remotes[${at}]`, remote, revisions)),
    _meta,
  };
}

/** schema.ts, `Remote`. Default versions: those of the server that have this transport. */
function remoteOf(place: string, remote: CardRemote, revisions: readonly Revision[]): object {
  checkOptions<object>(place, { ...remote, type: remote.type ?? null, url: remote.url ?? null }, remoteShape);
  const { type, url, headers, variables } = remote;
  if (!/^(?:https?:\/\/\S+|\{[a-zA-Z_]\w*\}\S*)$/.test(url)) throw new TypeError(`${place}.url must begin with http://, https:// or a name in braces`);
  if (/^https?:\/\/[^/]*@/.test(url)) throw new TypeError(`${place}.url has credentials: everybody can read a card`);
  for (const [name, value] of Object.entries(variables ?? {})) checkInput(`${place}.variables.${name}`, value, inputShape);
  for (const [at, value] of (headers ?? []).entries()) {
    const where = `${place}.headers[${at}]`;
    checkInput<object>(where, { ...value, name: value.name ?? null, ...credentials.test(value.name) && { isSecret: true } }, { ...inputShape, name: 'string', variables: 'object' });
    for (const [name, one] of Object.entries(value.variables ?? {})) checkInput(`${where}.variables.${name}`, one, inputShape);
  }
  const streamable = type === 'streamable-http';
  const versions = revisions.filter((revision) => revisionTable.streamableHttp(revision) === streamable).map(({ version }) => version);
  return { type, url, headers, variables, supportedProtocolVersions: remote.supportedProtocolVersions ?? versions };
}

/** docs/discovery.md#information-disclosure: a card MUST NOT have credentials. A secret's value needs a name in braces, for user input. */
function checkInput<I extends CardInput>(place: string, input: I, shape: Shape<I>): void {
  checkOptions<object>(place, input, shape);
  const { isSecret, default: otherwise, value, choices } = input;
  if (!isSecret) return;
  if (otherwise !== undefined || choices?.length || (value !== undefined && !/\{[^{}]+\}/.test(value))) {
    throw new TypeError(`${place} is secret and has a value: everybody can read a card`);
  }
}

/** Header fields that hold credentials, even without `isSecret`. */
const credentials = /^(?:(?:proxy-)?authorization|cookie|x-api-key)$/i;

function checkUrl(what: string, text: string): void {
  if (!URL.canParse(text)) throw new TypeError(`serverCard: ${what} is not a URL`);
  const { username, password } = new URL(text);
  if (username !== '' || password !== '') throw new TypeError(`serverCard: ${what} has credentials: everybody can read a card`);
}
