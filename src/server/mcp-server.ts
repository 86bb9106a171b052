import { checkOptions } from '../bounds/options.ts';
import { takeBatch } from '../jsonrpc/batch.ts';
import type { Outlet } from '../jsonrpc/inbound-request.ts';
import { checkMeta } from '../protocol/meta.ts';
import { mirroredParameters } from '../protocol/mirrored-headers.ts';
import type { Tool } from '../protocol/tools.ts';
import { compile } from '../schema/compile.ts';
import { adaptSchema } from '../schema/standard-schema.ts';
import type { PeerOptions, ServedClient } from '../transport/server-port.ts';
import type { Implementation } from '../protocol/lifecycle.ts';
import { asking } from './asking.ts';
import { cacheShape, caching } from './caching.ts';
import type { Cacheable, CacheHint } from './caching.ts';
import { changes } from './changes.ts';
import { completion } from './completion.ts';
import type { Context } from './context.ts';
import { requestStateShape } from './modern/request-state.ts';
import type { RequestStateOptions } from './modern/request-state.ts';
import { extend } from './extensions.ts';
import type { ServerExtension, TellListeners } from './extensions.ts';
import { guards } from './guards.ts';
import type { GuardsOptions } from './guards.ts';
import { pages } from '../protocol/pagination.ts';
import { prompts } from './prompts.ts';
import type { AddPrompt } from './prompts.ts';
import { resources } from './resources.ts';
import type { AddResource, AddResourceTemplate } from './resources.ts';
import { commonShape, ServerCore } from './server-core.ts';
import type { CoreOptions } from './server-core.ts';
import { structured } from './structured-content.ts';
import { tools } from './tools.ts';
import type { AddTool, Validator } from './tools.ts';
import { resourceUpdated } from './watched-resources.ts';

/** The options of `McpServer`. */
export interface ServerOptions extends Omit<CoreOptions<Context>, 'asking' | 'batches' | 'caching' | 'changes' | 'features' | 'guards' | 'pages'>, GuardsOptions<Context> {
  /**
   * How long clients of 2026-07-28 may cache each kind of result, and whether caches may share it. Default: not at all. Throws a
   * RangeError if a `ttlMs` is not finite.
   */
  readonly cache?: Readonly<Partial<Record<Cacheable, CacheHint>>>;
  /** Called when a legacy client's roots have changed. */
  readonly onRootsChanged?: () => void;
  /** How `requestState` is sealed (2026-07-28). */
  readonly requestState?: RequestStateOptions;
  /** Entries per page of a list. Default: 1000. */
  readonly pageSize?: number;
  /** Validates arguments and structured results. Default: `compile` of `barewire/schema`. */
  readonly validator?: Validator;
}

/**
 * A server of the Model Context Protocol with all features, for all revisions and any number of clients at once. Barewire's own
 * JSON Schema validator checks arguments and structured results, unless `options.validator` is given. For a small server, use
 * `ServerCore` with only the features that it needs.
 */
export class McpServer extends ServerCore<Context> {
  /** Registers a tool. Throws if the name is taken, a schema is malformed, or the definition has an unknown member. server/tools. */
  readonly tool: AddTool<Context>;
  /** Registers a resource. Throws if the URI is taken or malformed. server/resources. */
  readonly resource: AddResource<Context>;
  /** Registers a family of resources by RFC 6570 template. server/resources#resource-templates. */
  readonly resourceTemplate: AddResourceTemplate<Context>;
  /** Registers a prompt. Throws if the name is taken. server/prompts. */
  readonly prompt: AddPrompt<Context>;

  /** Throws a TypeError for an unknown or malformed option, and a RangeError for a revision that does not exist. */
  constructor(info: Implementation, given: ServerOptions = {}) {
    checkOptions('McpServer: options', given, {
      ...commonShape, cache: cacheShape, onRootsChanged: 'function', requestState: requestStateShape, pageSize: 'number', validator: 'function',
      around: 'list', listFilter: 'object',
    });
    const { requestState, validator = compile, around, listFilter, pageSize, cache = {}, onRootsChanged, ...options } = given;
    const tool = tools<Context>({ validator, schemas: adaptSchema, structured, check: checkTool });
    const resource = resources<Context>();
    const prompt = prompts<Context>();
    super(info, {
      ...options,
      asking: asking({ ...requestState, onRootsChanged }),
      batches: takeBatch,
      caching: caching(cache),
      changes: changes(),
      guards: guards({ around, listFilter }),
      pages: pages(pageSize),
      features: [resource, prompt, completion(prompt, resource), tool],
    });
    this.tool = tool.add;
    this.resource = resource.add;
    this.resourceTemplate = resource.addTemplate;
    this.prompt = prompt.add;
  }

  /** For transports: opens a client that speaks over one lasting channel. */
  override connect(outlet: Outlet, options?: PeerOptions): ServedClient {
    // A transport of the official SDK has no `answer`.
    if (typeof outlet?.answer !== 'function') {
      throw new TypeError('McpServer.connect takes an outlet of a transport: serve the server with serveStdio, serveHttp or another function');
    }
    return super.connect(outlet, options);
  }

  /** Notifies every client that watches this resource of a change. */
  resourceUpdated(uri: string): void {
    resourceUpdated(this, uri);
  }

  /**
   * Adds an extension. Returns a function that notifies its listeners: see `ServerExtension`. Throws if the identifier is
   * malformed, or if it or one of its parts is already registered.
   */
  extend(extension: ServerExtension<Context>): TellListeners {
    return extend(this, extension);
  }
}

function checkTool({ name, inputSchema, annotations = {}, execution = {}, _meta }: Tool): void {
  const what = `tool ${JSON.stringify(name)}`;
  checkOptions(`${what}.definition.annotations`, annotations, {
    title: 'string', readOnlyHint: 'boolean', destructiveHint: 'boolean', idempotentHint: 'boolean', openWorldHint: 'boolean',
  });
  checkOptions(`${what}.definition.execution`, execution, { taskSupport: '"forbidden" or "optional" or "required"' });
  checkMeta(what, _meta);
  // 2026-07-28 server/tools#x-mcp-header: the fault names the rule that the schema breaks.
  const mirrored = mirroredParameters(inputSchema);
  if ('fault' in mirrored) throw new TypeError(`${what}: the input schema, ${mirrored.fault}`);
}
