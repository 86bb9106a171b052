import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';
import { isObject } from '../jsonrpc/internal-exports.ts';
import { titles } from '../protocol/internal-exports.ts';
import { revisions } from '../protocol/index.ts';
import { guards } from '../server/index.ts';
import type { EntryHandle, Listener, ListFilter, McpServer, Outcome, Context, ResourceDefinition } from '../server/index.ts';
import { internalsOf } from '../server/internal-exports.ts';
import { cspShape } from './content-security-policy.ts';
import { appMimeType, appsExtension, declaresApps } from './extension.ts';
import { permissionsShape, readAppMeta } from './resource-meta.ts';
import type { AppResourceMeta } from './resource-meta.ts';
import { isAppUri, isVisibleTo } from './tool-meta.ts';
import type { AppVisibility } from './tool-meta.ts';

/** The options of `apps`. */
export interface AppsOptions {
  /**
   * Which tools and documents clients without the extension see. `text`: no app-only tools, and no app documents in `resources/list`; the
   * other tools with their texts. `all`: the same as other clients. Default: `text`.
   */
  readonly undeclared?: 'text' | 'all';
}

/** The document of an app. */
export interface AppDefinition extends Omit<ResourceDefinition, 'mimeType' | '_meta' | 'size'>, AppResourceMeta {}

/** A registered app. */
export interface App {
  readonly uri: string;
  /** Returns `_meta` for a tool whose results this app shows. `visibility`: who may call the tool. Default: models and apps. */
  tool(visibility?: readonly AppVisibility[]): { readonly ui: Readonly<Record<string, unknown>> };
  /** Removes the document. The tools that name it should be removed too. */
  remove(): void;
}

/** The apps of a server. */
export interface Apps {
  /**
   * Registers the document of an app. `html` is the document, or a function that returns it for each read. Throws a TypeError for a URI
   * that does not begin with `ui://`, a document without `<!doctype html>`, and a domain that is not an origin.
   */
  app(uri: string, definition: AppDefinition, html: string | ((context: Context) => Outcome<string>)): App;
}

/** `_meta` for a tool without an app, which only apps may call. */
export const onlyForApps: { readonly ui: Readonly<Record<string, unknown>> } = { ui: { visibility: ['app'] } };

/**
 * Serves apps: documents for the screen of a host, and the tools that show them or that they call. The extension is
 * `io.modelcontextprotocol/ui` (SEP-1865), in revisions since 2025-06-18. In earlier revisions tools have no `_meta`, so clients are served
 * as if they had not declared the extension. A tool belongs to an app by its `_meta`:
 * `server.tool(name, { …, _meta: app.tool() }, handler)`.
 */
export function apps(server: McpServer, options: AppsOptions = {}): Apps {
  checkOptions('apps: options', options, { undeclared: '"all" or "text"' });
  server.extend({ id: appsExtension, revisions: revisions.filter(titles).map(({ version }) => version) });
  if (options.undeclared !== 'all') hideFromUndeclared(server);
  return { app: (uri, definition, html) => register(server, uri, definition, html) };
}

// For `checkOptions`. `server.resource` checks its own members again.
const definitionShape: Shape<AppDefinition> = {
  csp: cspShape, permissions: permissionsShape, domain: 'string', prefersBorder: 'boolean',
  name: 'string', title: 'string', description: 'string', annotations: 'object', icons: 'list', cache: 'object', needs: 'list', scopes: 'list', data: 'object',
};

function register(server: Pick<McpServer, 'resource'>, uri: string, definition: AppDefinition, html: Parameters<Apps['app']>[2]): App {
  const place = `app ${JSON.stringify(uri)}`;
  if (!isAppUri(uri)) throw new TypeError(`${place}: the URI must begin with ui:// and have no white space`);
  checkOptions(place, definition, definitionShape);
  const { csp, permissions, domain, prefersBorder, ...described } = definition;
  checkMeta(place, { csp, permissions, domain, prefersBorder });
  if (typeof html === 'string') checkHtml(place, html);
  const ui: AppResourceMeta = {
    ...csp && { csp }, ...permissions && { permissions }, ...domain !== undefined && { domain }, ...prefersBorder !== undefined && { prefersBorder },
  };
  const _meta = Object.keys(ui).length > 0 ? { ui: { ...ui } } : undefined;
  const handle: EntryHandle<ResourceDefinition> = server.resource(uri, { ...described, mimeType: appMimeType, ..._meta && { _meta } }, async (_uri, context) => {
    const text = typeof html === 'string' ? html : await settled(html(context));
    checkHtml(place, text);
    return { uri, mimeType: appMimeType, text, ..._meta && { _meta } };
  });
  return {
    uri,
    tool(visibility) {
      checkVisibility(place, visibility);
      return { ui: { resourceUri: uri, ...visibility && { visibility: [...visibility] } } };
    },
    remove: () => handle.remove(),
  };
}

/** Refuses a generator: a document cannot ask the client questions. */
function settled(outcome: Outcome<string>): string | Promise<string> {
  if (typeof outcome === 'string' || outcome instanceof Promise) return outcome;
  throw new TypeError('the function that makes a document cannot be a generator');
}

function checkVisibility(place: string, visibility: readonly AppVisibility[] | undefined): void {
  if (visibility === undefined) return;
  checkOptions(`${place}.tool: visibility`, visibility, 'list');
  if (visibility.length === 0) throw new TypeError(`${place}.tool: visibility must name "model", "app" or both`);
  visibility.forEach((one, at) => checkOptions(`${place}.tool: visibility[${at}]`, one, '"model" or "app"'));
}

function checkMeta(place: string, meta: { readonly [K in keyof AppResourceMeta]: AppResourceMeta[K] | undefined }): void {
  const { faults } = readAppMeta({ ui: meta });
  if (faults.length > 0) throw new TypeError(`${place}: ${faults.join('; ')}`);
}

/** Apps, Content Requirements: a valid HTML5 document. This only tells a document from a fragment. */
function checkHtml(place: string, html: unknown): void {
  if (typeof html !== 'string' || !/^\uFEFF?\s*<!doctype html[\s>]/i.test(html.slice(0, 1000))) {
    throw new TypeError(`${place}: the document must be a text that begins with <!doctype html>`);
  }
}

/**
 * Hides app-only tools and app documents from clients without the extension. Apps, Client-Server Capability Negotiation: servers check the
 * client's capabilities. A document stays readable, since a listed tool may name it.
 */
function hideFromUndeclared(server: McpServer): void {
  const inside = internalsOf(server);
  if (!inside) throw new TypeError('apps: this is not a server of barewire');
  const base = inside.guards ?? guards();
  const { listFilter: before } = base;
  const shown = ({ capabilities, revision }: Listener): boolean => titles(revision) && declaresApps(capabilities);
  const listFilter: ListFilter = {
    key: (requester) => `${shown(requester)} ${before?.key(requester) ?? ''}`,
    shows: (kind, name, definition, requester) => before?.shows(kind, name, definition, requester) !== false
      && (kind !== 'tools' || shown(requester) || isVisibleTo(metaOf(definition), 'model')),
  };
  const listed = guards({
    listFilter: {
      key: listFilter.key,
      // Apps, Behavior: resources of apps need not be listed.
      shows: (kind, name, definition, requester) => listFilter.shows(kind, name, definition, requester)
        && (kind !== 'resources' || shown(requester) || !('mimeType' in definition && definition.mimeType === appMimeType)),
    },
  });
  inside.guards = {
    listFilter,
    inspect: base.inspect,
    surround: (around, wants) => base.surround(around, wants),
    view: (member, exchange) => listed.view(member, exchange),
    enclose: (handled) => base.enclose(handled),
  };
}

function metaOf(definition: object): { _meta?: Record<string, unknown> } {
  return '_meta' in definition && isObject(definition._meta) ? { _meta: definition._meta } : {};
}
