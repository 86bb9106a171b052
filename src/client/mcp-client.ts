import { checkOptions } from '../bounds/options.ts';
import type { Bag } from '../jsonrpc/message.ts';
import * as revisionTable from '../protocol/revisions.ts';
import type { CompleteRequestParams, CompleteResult } from '../protocol/completion.ts';
import type { Implementation } from '../protocol/lifecycle.ts';
import type { GetPromptResult, Prompt } from '../protocol/prompts.ts';
import type { ReadResourceResult, Resource, ResourceTemplate } from '../protocol/resources.ts';
import { answering } from './answering.ts';
import { resultCache } from './cache.ts';
import { ClientCore } from './client-core.ts';
import { listening } from './subscriptions.ts';
import { clientShape, defaultClientLimits } from './options.ts';
import type { AnsweringOptions, CallOptions, ClientOptions } from './options.ts';
import type { Cache, Listening } from './parts.ts';
import type { AnyServer, Bare, PromptName, ServerTypes } from './server-types.ts';
import { loadedToolOutputs, toolOutputs } from './tool-output.ts';

/**
 * A client of one MCP server, in any revision that the server speaks, with all parts. Barewire's own JSON Schema validator, loaded
 * on demand, checks the results of tools, unless `options.validator` is given. A program that must stay small combines a
 * `ClientCore` with the parts that it needs.
 *
 * `McpClient<Server>` knows the tools and prompts of one server: names, arguments and structured results. `barewire types` writes
 * the type.
 */
export class McpClient<S extends ServerTypes = AnyServer> extends ClientCore<S> {
  readonly #answering: ReturnType<typeof answering>;
  readonly #listening: Listening;
  readonly #cache: Cache | undefined;

  /**
   * @param info the name and version of the client
   * @throws TypeError for an unknown or malformed option; RangeError for a revision that is not in the table, or when none
   *   is left
   */
  constructor(info: Implementation, given: ClientOptions = {}) {
    checkOptions('McpClient: options', given, clientShape());
    const { around, cache, validator, onElicit, onElicitUrl, onSample, roots, ...options } = given;
    if (validator) checkOptions('McpClient: options.validator', validator, 'function');
    const { capabilities } = options;
    const { maxRounds, maxQuestions, maxCached, ...limits } = { ...defaultClientLimits(), ...options.limits };
    const answers = answering({ onElicit, onElicitUrl, onSample, roots, capabilities, limits: { maxRounds, maxQuestions } });
    const listener = listening();
    const kept = cache === false ? undefined : resultCache(maxCached);
    super(info, {
      ...options,
      limits,
      answering: around ? around(answers) : answers,
      listening: listener,
      cache: kept,
      outputs: validator === false ? undefined : validator ? toolOutputs(validator) : loadedToolOutputs(),
    });
    this.#answering = answers;
    this.#listening = listener;
    this.#cache = kept;
  }

  /** The server's resources, page by page as they are read. */
  resources(options?: CallOptions): AsyncGenerator<Resource, void, undefined> {
    return this.list('resources/list', 'resources', options);
  }

  /** The server's resource templates, page by page as they are read. */
  resourceTemplates(options?: CallOptions): AsyncGenerator<ResourceTemplate, void, undefined> {
    return this.list('resources/templates/list', 'resourceTemplates', options);
  }

  /** The server's prompts, page by page as they are read. */
  prompts(options?: CallOptions): AsyncGenerator<Prompt, void, undefined> {
    return this.list('prompts/list', 'prompts', options);
  }

  /** The server's resources, all pages. */
  listResources(options?: CallOptions): Promise<Resource[]> {
    return this.all('resources/list', 'resources', options);
  }

  /** The server's resource templates, all pages. */
  listResourceTemplates(options?: CallOptions): Promise<ResourceTemplate[]> {
    return this.all('resources/templates/list', 'resourceTemplates', options);
  }

  /** The server's prompts, all pages. */
  listPrompts(options?: CallOptions): Promise<Prompt[]> {
    return this.all('prompts/list', 'prompts', options);
  }

  async #typed<T>(method: string, params: Bag, options: CallOptions | undefined): Promise<T> {
    for (const named of ['name', 'uri']) if (named in params) checkOptions<unknown>(`${method}: ${named}`, params[named], 'string');
    const result = await this.request(method, params, options);
    this.checkResult(method, result);
    return result as T;
  }

  /** Reads a resource. Rejects with `RpcError` if the server has no resource with that URI. */
  readResource(uri: string, options?: CallOptions): Promise<ReadResourceResult> {
    return this.#typed<ReadResourceResult>('resources/read', { uri }, options);
  }

  /** A prompt's messages, with its arguments filled in. */
  getPrompt<N extends PromptName<S>>(name: N, args: S['prompts'][N], options?: CallOptions): Promise<GetPromptResult>;
  getPrompt<N extends Bare<S['prompts']>>(name: N, args?: S['prompts'][N] | undefined, options?: CallOptions): Promise<GetPromptResult>;
  getPrompt(name: string, args?: object, options?: CallOptions): Promise<GetPromptResult> {
    return this.#typed<GetPromptResult>('prompts/get', { name, arguments: args }, options);
  }

  /**
   * Values for an argument that is being typed; `settled` are the arguments that already have values (since
   * 2025-06-18).
   */
  async complete(
    ref: CompleteRequestParams['ref'],
    argument: CompleteRequestParams['argument'],
    settled?: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<CompleteResult['completion']> {
    const context = settled && this.revision && revisionTable.completionContext(this.revision) ? { context: { arguments: settled } } : {};
    return (await this.#typed<CompleteResult>('completion/complete', { ref, argument, ...context }, options)).completion;
  }

  /**
   * Subscribes to a resource: `onResourceUpdated` is called when it changes. The subscription survives new sessions.
   */
  subscribe(uri: string, options?: CallOptions): Promise<void> {
    return this.#listening.subscribe(uri, options);
  }

  /** Ends a subscription. */
  unsubscribe(uri: string, options?: CallOptions): Promise<void> {
    return this.#listening.unsubscribe(uri, options);
  }

  /**
   * Sets a key that an extension adds to the filter of `subscriptions/listen` to this value; undefined: removes the
   * key. Resolves with the value that the server agreed to; undefined: none. Survives drops and new streams; only one
   * call for a key at a time. Since 2026-07-28.
   */
  listen(key: string, value: unknown): Promise<unknown> {
    return this.#listening.listen(key, value);
  }

  /** Replaces the roots, and tells a legacy server. Throws if no roots were declared when connecting. */
  setRoots(roots: NonNullable<AnsweringOptions['roots']>): void {
    const { revision } = this;
    const declared = revision && this.#answering.capabilities(revision);
    if (declared && !declared.roots) throw new Error('this client was made without `roots`');
    this.#answering.roots = roots;
    if (declared?.roots?.listChanged) this.notify('notifications/roots/list_changed');
  }

  /** Drops all cached results. Call it when the authorization changes. */
  clearCache(): void {
    this.#cache?.clear();
  }
}
