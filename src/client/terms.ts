import type { Bag } from '../jsonrpc/message.ts';
import { serverSupports } from '../protocol/capabilities.ts';
import * as columns from '../protocol/columns.ts';
import { clientLifecycle, mayPass } from '../protocol/lifecycle.ts';
import { mayAsk } from '../protocol/methods.ts';
import type { Shape } from '../protocol/shape.ts';
import type { ToolHeaders } from '../transport/client-port.ts';
import type { Agreement } from './negotiation.ts';
import type { CallOptions, CoreClientOptions } from './options.ts';
import type { Cache } from './parts.ts';
import { resultShape } from './result-shapes.ts';

/** The options of a call that is given none. */
export const noOptions: CallOptions = {};

/** The server reports progress, which renews the time of the request. */
export const onlyProgress: CallOptions = { onProgress() {} };

/** What holds for every request of one method. */
export interface MethodTerms {
  readonly method: string;
  /** What holds for requests of every method. */
  readonly all: Terms;
  /**
   * Whether its result may be questions. Such a request is the work of a tool's author and may take long, so a progress
   * token goes with it.
   */
  readonly asks: boolean;
  /** Keeps its results; undefined: they are not kept. */
  readonly cache: Cache | undefined;
  /** The members of its result; undefined: they are not known. */
  readonly shape: Shape | undefined;
}

/** Methods whose terms are kept. A program that makes up more of them has theirs settled at each request. */
const maxKept = 100;

/** What an agreement means for the requests that follow it: settled once for each method, and looked up by each call. */
export class Terms {
  readonly agreement: Agreement;
  /** `_meta` of every request; undefined in the legacy era. */
  meta: Bag | undefined;
  /** Headers that mirror the arguments of tools; undefined where the transport or the revision has none. */
  readonly headers: ToolHeaders | undefined;
  /** Whether a result may be of another type than `complete`. */
  readonly typed: boolean;
  readonly #options: CoreClientOptions;
  readonly #methods = new Map<string, MethodTerms>();

  constructor(agreement: Agreement, options: CoreClientOptions, meta: Bag | undefined, headers: ToolHeaders | undefined) {
    this.agreement = agreement;
    this.meta = meta;
    this.headers = headers;
    this.typed = columns.resultType(agreement.revision);
    this.#options = options;
  }

  /** The terms of a method. Throws where such a request may not be sent. */
  of(method: string): MethodTerms {
    return this.#methods.get(method) ?? this.#settle(method);
  }

  #settle(method: string): MethodTerms {
    const { revision, capabilities } = this.agreement;
    const { cache, listening } = this.#options;
    // The handshake is over; the modern era has none, and lets the same requests pass.
    if (!mayPass(clientLifecycle.ready.send, method)) throw new Error(`${method}: not while the connection is ready`);
    // 2026-07-28 basic/patterns/subscriptions: `subscriptions/listen` has taken the place of these requests.
    if (this.meta && !listening && method.endsWith('subscribe')) {
      throw new Error(
        `${method}: this server tells those who listen, and this client was made without \`listening\``,
      );
    }
    if (!serverSupports(method, capabilities, revision)) {
      throw new Error(`${method}: the server did not declare that it supports this`);
    }
    const terms: MethodTerms = {
      method,
      all: this,
      asks: mayAsk(method),
      cache: columns.cacheHints(revision) && cache?.keeps?.(method) !== false ? cache : undefined,
      shape: resultShape(method),
    };
    if (this.#methods.size < maxKept) this.#methods.set(method, terms);
    return terms;
  }
}
