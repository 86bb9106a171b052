import { methodNotFound } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { ServerCapabilities } from '../protocol/initialize.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { Exchange } from './exchange.ts';
import type { Failures } from './failure.ts';
import type { AnswerMethod, Feature, FeatureHost } from './feature.ts';
import type { Requester } from './requester.ts';

/** What a revision is offered. Made at its first use, and made anew after something is registered. */
interface Offer {
  readonly capabilities: ServerCapabilities;
  readonly methods: ReadonlyMap<string, AnswerMethod>;
  /** The features that have something in this revision. */
  readonly features: readonly Feature<never>[];
}

/** What a server has, and what of it each revision is offered. */
export class Catalogue {
  /** Where two answer the same method, the later one does. */
  readonly features: Feature<never>[];
  readonly #host: FeatureHost;
  readonly #failures: Failures;
  readonly #offers = new Map<Revision, Offer>();

  constructor(features: readonly Feature<never>[], host: FeatureHost, failures: Failures) {
    this.features = [...features];
    this.#host = host;
    this.#failures = failures;
  }

  /** Something was registered: what revisions are offered is found out anew. */
  changed(): void {
    this.#offers.clear();
  }

  /** What the server declares in a revision; to one client, where one is named. */
  capabilities(revision: Revision, requester?: Requester): ServerCapabilities {
    let { capabilities } = this.offer(revision);
    if (requester) {
      for (const feature of this.features) capabilities = feature.tailor?.(capabilities, requester) ?? capabilities;
    }
    return capabilities;
  }

  offer(revision: Revision): Offer {
    let offer = this.#offers.get(revision);
    if (!offer) {
      const capabilities: ServerCapabilities = { logging: {} };
      const answers: [string, AnswerMethod][] = [];
      const features: Feature<never>[] = [];
      for (const feature of this.features) {
        const declared = feature.capabilities(revision, this.#host);
        if (!declared) continue;
        const { methods } = feature;
        Object.assign(capabilities, declared);
        answers.push(...Object.entries(typeof methods === 'function' ? methods(revision) : methods));
        features.push(feature);
      }
      offer = { capabilities, methods: new Map(answers), features };
      this.#offers.set(revision, offer);
    }
    return offer;
  }

  /** Answers a request of either era that is not part of a lifecycle. */
  handle(method: string, params: Params, exchange: Exchange): object | Promise<object> {
    const answer = this.offer(exchange.rules).methods.get(method);
    if (!answer) throw methodNotFound(method);
    exchange.failures = this.#failures;
    exchange.inbound.author = exchange;
    return answer(params, exchange, this.#host);
  }
}

/** Tells every client that watches this resource that it has changed. */
export function tellUpdated({ features }: Catalogue, uri: string): void {
  for (const feature of features) feature.resourceUpdated?.(uri);
}
