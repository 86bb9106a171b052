import { after } from '../../jsonrpc/attempt.ts';
import { Inbound } from '../../jsonrpc/inbound.ts';
import type { Request } from '../../jsonrpc/message.ts';
import { Serialized } from '../../jsonrpc/outlet.ts';
import type { Outlet } from '../../jsonrpc/outlet.ts';
import type { Implementation } from '../../protocol/initialize.ts';
import * as metaKeys from '../../protocol/meta-keys.ts';
import type { RequestMeta } from '../../protocol/meta.ts';
import { versionsOf } from '../../protocol/revisions.ts';
import type { Revision } from '../../protocol/revisions.ts';
import type { Auth } from '../../transport/port.ts';
import { notKept } from '../caching.ts';
import type { Caching } from '../caching.ts';
import type { Catalogue } from '../catalogue.ts';
import type { PlainContext } from '../context.ts';
import type { Exchanges } from '../eras.ts';

/** What the answering of modern requests needs of the server. */
export interface ModernServer {
  readonly info: Implementation;
  readonly revisions: readonly Revision[];
  readonly exchanges: Exchanges<PlainContext>;
  readonly catalogue: Catalogue;
  readonly instructions?: string;
  readonly caching?: Caching;
}

/** What every modern result carries. */
type Stamped = object & { resultType?: string; _meta?: object };

/** Answers modern requests, each for itself. 2026-07-28 basic/index#statelessness. */
export class ModernAnswers {
  readonly #server: ModernServer;
  /** The start of nearly every result: what is the same in all of them is not serialized again. */
  #stampText: string | undefined;

  constructor(server: ModernServer) {
    this.#server = server;
  }

  /** Answers a request that is part of no connection. */
  alone(request: Request, meta: RequestMeta, outlet: Outlet, auth: Auth | undefined): Inbound {
    const inbound = new Inbound(request, outlet);
    inbound.run(() => this.answer(inbound, meta, auth));
    return inbound;
  }

  /** The result of a request, or a promise of it. A throw is an error answer. */
  answer(inbound: Inbound, meta: RequestMeta, auth: Auth | undefined): object | Promise<object> {
    const { method } = inbound.request;
    const server = this.#server;
    if (method === 'server/discover') return this.#complete(this.#discover(meta.revision));
    const exchange = server.exchanges.modern(inbound, meta, auth);
    const begun = exchange.begin((own) => server.catalogue.handle(method, own, exchange));
    return after(begun, (result) => this.#complete(result));
  }

  #discover(revision: Revision): object {
    const { revisions, catalogue, instructions, caching } = this.#server;
    return {
      supportedVersions: versionsOf(revisions),
      // JSON leaves out what is undefined.
      capabilities: catalogue.capabilities(revision), instructions,
      ...caching?.fields('discover') ?? notKept,
    };
  }

  /** 2026-07-28 basic/index#result-responses: every result says its type, and who made it. */
  #complete(result: Stamped): object {
    if (result instanceof Serialized) return result;
    if (result.resultType !== undefined || result._meta !== undefined) return stamped(result, this.#server.info);
    return new Serialized(() => {
      const text = JSON.stringify(result);
      const stamp = this.#stampText ??= JSON.stringify(stamped({}, this.#server.info)).slice(0, -1);
      return stamp + (text === '{}' ? '}' : `,${text.slice(1)}`);
    });
  }
}

/** A modern result with its type and the server's identity. */
export function stamped(result: Stamped, info: Implementation): object {
  return {
    ...result,
    resultType: result.resultType ?? 'complete',
    _meta: { [metaKeys.serverInfo]: info, ...result._meta },
  };
}
