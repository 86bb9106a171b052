import { checkOptions } from '../bounds/options.ts';
import type { Bag } from '../jsonrpc/message.ts';
import * as columns from '../protocol/columns.ts';
import type { CompleteRequestParams, CompleteResult } from '../protocol/completion.ts';
import type { Implementation } from '../protocol/initialize.ts';
import type { GetPromptResult, Prompt } from '../protocol/prompts.ts';
import type { ReadResourceResult, Resource, ResourceTemplate } from '../protocol/resources.ts';
import { answering } from './answering.ts';
import { resultCache } from './cache.ts';
import { ClientCore } from './client-core.ts';
import { listening } from './listening.ts';
import { clientShape, defaultClientLimits } from './options.ts';
import type { AnsweringOptions, CallOptions, ClientOptions } from './options.ts';
import type { Cache, Listening } from './parts.ts';
import { loadedToolOutputs, toolOutputs } from './tool-output.ts';

/**
 * A client of one MCP server, in whatever revision that server speaks, with every part there is. What tools return is
 * judged by barewire's own JSON Schema validator, which is loaded when it is needed, unless `options.validator` says
 * otherwise. A program that is to stay small puts a `ClientCore` together with the parts that it needs.
 */
export class McpClient extends ClientCore {
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
    const result = await this.request(method, params, options);
    this.checkResult(method, result);
    return result as T;
  }

  /** What a resource holds now. Rejects with `RpcError` where the server has none of that URI. */
  readResource(uri: string, options?: CallOptions): Promise<ReadResourceResult> {
    return this.#typed<ReadResourceResult>('resources/read', { uri }, options);
  }

  /** A prompt's messages, with its arguments filled in. */
  getPrompt(
    name: string, args?: Readonly<Record<string, string>>, options?: CallOptions,
  ): Promise<GetPromptResult> {
    return this.#typed<GetPromptResult>('prompts/get', { name, arguments: args }, options);
  }

  /**
   * Values for an argument that is being typed; `settled` are the arguments that have theirs (since
   * 2025-06-18).
   */
  async complete(
    ref: CompleteRequestParams['ref'],
    argument: CompleteRequestParams['argument'],
    settled?: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<CompleteResult['completion']> {
    const context = settled && this.revision && columns.completionContext(this.revision) ? { context: { arguments: settled } } : {};
    return (await this.#typed<CompleteResult>('completion/complete', { ref, argument, ...context }, options)).completion;
  }

  /** Asks to be told, through `onResourceUpdated`, when a resource changes. Holds across new sessions. */
  subscribe(uri: string, options?: CallOptions): Promise<void> {
    return this.#listening.subscribe(uri, options);
  }

  /** Takes back what `subscribe` asked for. */
  unsubscribe(uri: string, options?: CallOptions): Promise<void> {
    return this.#listening.unsubscribe(uri, options);
  }

  /**
   * Asks to be told of what an extension adds to the filter of `subscriptions/listen`: under its key, this
   * value; undefined: no more. Resolves with what the server agreed to; undefined: nothing. Holds across
   * drops and new streams; one call a key at a time. Since 2026-07-28.
   */
  listen(key: string, value: unknown): Promise<unknown> {
    return this.#listening.listen(key, value);
  }

  /** Sets other roots, and tells a legacy server. Throws where no roots were declared when connecting. */
  setRoots(roots: NonNullable<AnsweringOptions['roots']>): void {
    const { revision } = this;
    const declared = revision && this.#answering.capabilities(revision);
    if (declared && !declared.roots) throw new Error('roots were not declared: give `roots` in the options');
    this.#answering.roots = roots;
    if (declared?.roots?.listChanged) this.notify('notifications/roots/list_changed');
  }

  /** Forgets the results that were kept. Call it when the authorization changes. */
  clearCache(): void {
    this.#cache?.clear();
  }
}
