import type { Implementation } from '../protocol/initialize.ts';
import { answering } from './answering.ts';
import { resultCache } from './cache.ts';
import { ClientCore } from './client-core.ts';
import { listening } from './listening.ts';
import type { AnsweringOptions, ClientOptions } from './options.ts';
import type { Cache } from './parts.ts';
import { toolOutputs } from './tool-output.ts';

/**
 * A client of one MCP server, in whatever revision that server speaks, with every part there is. What is to stay small is
 * put together from `ClientCore` and the parts that it needs.
 */
export class McpClient extends ClientCore {
  readonly #answering: ReturnType<typeof answering>;
  readonly #cache: Cache | undefined;

  /**
   * @param info who the client says it is
   * @throws RangeError for a revision that is not in the table, or when none is left
   */
  constructor(info: Implementation, options: ClientOptions = {}) {
    const { cache, limits, validator } = options;
    const answers = answering(options);
    const kept = cache === false ? undefined : resultCache(limits?.maxCached);
    super(info, {
      ...options,
      answering: answers,
      listening: listening(),
      cache: kept,
      outputs: validator && toolOutputs(validator),
    });
    this.#answering = answers;
    this.#cache = kept;
  }

  /** Other roots from now on; a legacy server is told. Throws where none were declared when connecting. */
  setRoots(roots: NonNullable<AnsweringOptions['roots']>): void {
    const { revision } = this;
    const declared = revision && this.#answering.capabilities(revision);
    if (declared && !declared.roots) throw new Error('roots were not declared: give `roots` in the options');
    this.#answering.roots = roots;
    if (declared?.roots?.listChanged) this.notify('notifications/roots/list_changed');
  }

  /** Forgets the results that were kept: to be called when the authorization changes. */
  clearCache(): void {
    this.#cache?.clear();
  }
}
