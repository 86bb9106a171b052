import type { Bag } from '../jsonrpc/message.ts';
import { serverSupports } from '../protocol/capabilities.ts';
import { clientLifecycle, mayPass } from '../protocol/lifecycle.ts';
import { mayAsk } from '../protocol/methods.ts';
import * as revisionTable from '../protocol/revisions.ts';
import { block, resourceContents } from '../protocol/shape.ts';
import type { MessageShape } from '../protocol/shape.ts';
import type { ToolHeaders } from '../transport/client-port.ts';
import type { Agreement } from './negotiation.ts';
import type { CallOptions, CoreClientOptions } from './options.ts';
import type { Cache } from './parts.ts';

/** The default options of a call. */
export const noOptions: CallOptions = {};

/** Makes the server report progress, which extends the timeout of the request. */
export const onlyProgress: CallOptions = { onProgress() {} };

/** The terms of every request with one method. */
export interface MethodTerms {
  readonly method: string;
  /** The terms of requests with any method. */
  readonly all: Terms;
  /**
   * Whether its result may ask questions. Such a request runs a tool author's code and may take long, so it carries a
   * progress token.
   */
  readonly asks: boolean;
  /** The cache of its results; undefined: they are not kept. */
  readonly cache: Cache | undefined;
  /** The members of its result; undefined: unknown. */
  readonly shape: MessageShape | undefined;
}

/** The number of methods whose terms are kept. Terms of further methods are determined at each request. */
const maxKept = 100;

/** The consequences of an agreement for later requests: determined once for each method, and looked up by each call. */
export class Terms {
  readonly agreement: Agreement;
  /** `_meta` of every request; undefined in the legacy era. */
  meta: Bag | undefined;
  /** The headers that mirror tool arguments; undefined if the transport or the revision has none. */
  readonly headers: ToolHeaders | undefined;
  /** Whether results have types other than `complete`. */
  readonly typed: boolean;
  readonly #options: CoreClientOptions;
  readonly #methods = new Map<string, MethodTerms>();

  constructor(agreement: Agreement, options: CoreClientOptions, meta: Bag | undefined, headers: ToolHeaders | undefined) {
    this.agreement = agreement;
    this.meta = meta;
    this.headers = headers;
    this.typed = revisionTable.resultType(agreement.revision);
    this.#options = options;
  }

  /** The terms of a method. Throws if such a request may not be sent. */
  of(method: string): MethodTerms {
    return this.#methods.get(method) ?? this.#settle(method);
  }

  #settle(method: string): MethodTerms {
    const { revision, capabilities } = this.agreement;
    const { cache, listening } = this.#options;
    // The handshake is over; the modern era has none, and allows the same requests.
    if (!mayPass(clientLifecycle.ready.send, method)) throw new Error(`${method}: the handshake is over`);
    // 2026-07-28 basic/patterns/subscriptions: `subscriptions/listen` replaces these requests.
    if (this.meta && !listening && method.endsWith('subscribe')) {
      throw new Error(
        `${method}: needs subscriptions/listen, and this client was made without \`listening\``,
      );
    }
    if (!serverSupports(method, capabilities, revision)) {
      throw new Error(`${method}: the server did not declare that it supports this, only ${Object.keys(capabilities).join(', ') || 'nothing'}`);
    }
    const terms: MethodTerms = {
      method,
      all: this,
      asks: mayAsk(method),
      cache: revisionTable.cacheHints(revision) && cache?.keeps?.(method) !== false ? cache : undefined,
      shape: resultShape(method),
    };
    if (this.#methods.size < maxKept) this.#methods.set(method, terms);
    return terms;
  }
}

/** A result of the server that does not have the type of its method. */
export class MalformedResult extends Error {
  /** `malformed_result`. */
  readonly code = 'malformed_result';
  readonly method: string;

  constructor(method: string, fault: string) {
    super(`the server's result of ${method} is malformed: ${fault}`);
    this.name = 'MalformedResult';
    this.method = method;
  }
}

/**
 * The members of a method's result by the types of the revisions; undefined for an unknown method. 2025-11-25 schema,
 * server/tools, server/resources, server/prompts.
 */
export function resultShape(method: string): MessageShape | undefined {
  const named = { name: 'string', 'title?': 'string', 'description?': 'string', 'icons?': ['object'], '_meta?': 'object' } as const;
  const located = { ...named, 'mimeType?': 'string', 'annotations?': 'object' } as const;
  switch (method) {
    case 'tools/call': return { content: [block], 'isError?': 'boolean', '_meta?': 'object' };
    case 'tools/list':
      return { tools: [{ ...named, inputSchema: { type: 'string' }, 'outputSchema?': 'object', 'annotations?': 'object', 'execution?': 'object' }] };
    case 'resources/list': return { resources: [{ ...located, uri: 'string', 'size?': 'number' }] };
    case 'resources/templates/list': return { resourceTemplates: [{ ...located, uriTemplate: 'string' }] };
    case 'resources/read': return { contents: [resourceContents] };
    case 'prompts/list': return { prompts: [{ ...named, 'arguments?': [{ ...named, 'required?': 'boolean' }] }] };
    case 'prompts/get': return { 'description?': 'string', messages: [{ role: 'role', content: block }] };
    case 'completion/complete': return { completion: { values: ['string'], 'total?': 'number', 'hasMore?': 'boolean' } };
    default: return undefined;
  }
}
