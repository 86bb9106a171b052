import type { ServerCapabilities } from '../protocol/initialize.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { Tool } from '../protocol/tools.ts';
import type { Agree, Answer, Feature } from './feature.ts';
import type { Requester } from './requester.ts';

/** What a revision is offered. Made at its first use, and made anew after something is registered. */
interface Offer {
  readonly capabilities: ServerCapabilities;
  readonly methods: ReadonlyMap<string, Answer>;
  readonly filters: ReadonlyMap<string, Agree>;
}

/** What a server has, and what of it each revision is offered. */
export class Catalogue {
  /** A later one is asked first. */
  readonly features: Feature<never>[];
  readonly #offers = new Map<Revision, Offer>();

  constructor(features: readonly Feature<never>[]) {
    this.features = [...features];
  }

  /** Something was registered: what revisions are offered is found out anew. */
  changed(): void {
    this.#offers.clear();
  }

  /** Tells every client that watches this resource that it has changed. */
  updated(uri: string): void {
    for (const feature of this.features) feature.resourceUpdated?.(uri);
  }

  /** What the server declares in a revision; to one client, where one is named. */
  capabilities(revision: Revision, requester?: Requester): ServerCapabilities {
    let { capabilities } = this.offer(revision);
    if (requester) {
      for (const feature of this.features) capabilities = feature.tailor?.(capabilities, requester) ?? capabilities;
    }
    return capabilities;
  }

  /** The input schema of a tool. */
  toolInput(name: string): Tool['inputSchema'] | undefined {
    return this.features.find((feature) => feature.toolInput)?.toolInput?.(name);
  }

  /** Whether something has `scopes`. */
  get scoped(): boolean {
    return this.features.some(({ scoped }) => scoped);
  }

  offer(revision: Revision): Offer {
    let offer = this.#offers.get(revision);
    if (!offer) {
      const capabilities: ServerCapabilities = { logging: {} };
      const answers: [string, Answer][] = [];
      const agrees: [string, Agree][] = [];
      for (const { capabilities: declared, methods, filters = {} } of this.features) {
        const added = declared(revision);
        if (!added) continue;
        Object.assign(capabilities, added);
        answers.push(...Object.entries(typeof methods === 'function' ? methods(revision) : methods));
        agrees.push(...Object.entries(filters));
      }
      offer = { capabilities, methods: new Map(answers), filters: new Map(agrees) };
      this.#offers.set(revision, offer);
    }
    return offer;
  }
}
