import type { ServerCapabilities } from '../protocol/initialize.ts';
import { isExtensionId } from '../protocol/meta.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { Tool } from '../protocol/tools.ts';
import type { Exchange } from './exchange.ts';
import { needExtension } from './extension.ts';
import type { ServerExtension } from './extension.ts';
import type { Answer, Feature } from './feature.ts';
import type { Requester } from './requester.ts';

type Extension = ServerExtension<never>;

/** What a revision is offered. Made at its first use, and made anew after something is registered. */
interface Offer {
  readonly capabilities: ServerCapabilities;
  readonly methods: ReadonlyMap<string, Answer>;
}

/** What a server has, and what of it each revision is offered: features and extensions. */
export class Catalogue {
  readonly #features: readonly Feature<never>[];
  /** Who runs an extension's method, and reports what it throws. */
  readonly #guard: (exchange: Exchange, call: () => unknown) => object | Promise<object>;
  // One map a namespace: an extension's method may be called like another's result type.
  readonly #extensions = new Map<string, Extension>();
  readonly #methods = new Map<string, Extension>();
  readonly #filters = new Map<string, Extension>();
  readonly #resultTypes = new Map<unknown, Extension>();
  readonly #offers = new Map<Revision, Offer>();

  constructor(
    features: readonly Feature<never>[],
    guard: (exchange: Exchange, call: () => unknown) => object | Promise<object>,
  ) {
    this.#features = features;
    this.#guard = guard;
  }

  /** See `ServerCore.extend`. */
  extend(extension: Extension): void {
    const { id, methods = {}, filters = {}, resultTypes = [] } = extension;
    // 2026-07-28 basic/versioning#extension-negotiation:
    // identifiers follow the rules of `_meta` keys, with a prefix.
    if (!isExtensionId(id)) throw new TypeError(`extension ${JSON.stringify(id)} is not a prefixed name`);
    const namespaces: [Map<unknown, Extension>, string[]][] = [
      [this.#extensions, [id]],
      [this.#methods, Object.keys(methods)],
      [this.#filters, Object.keys(filters)],
      [this.#resultTypes, [...resultTypes]],
    ];
    for (const [known, names] of namespaces) {
      for (const name of names) if (known.has(name)) throw new Error(`${name} is already registered`);
    }
    for (const [known, names] of namespaces) for (const name of names) known.set(name, extension);
    this.changed();
  }

  /** Something was registered: what revisions are offered is found out anew. */
  changed(): void {
    this.#offers.clear();
  }

  /** What the server declares in a revision; to one client, where one is named. */
  capabilities(revision: Revision, requester?: Requester): ServerCapabilities {
    let { capabilities } = this.#offer(revision);
    for (const { legacy } of requester ? this.#extensions.values() : []) {
      capabilities = legacy?.tailor?.(capabilities, requester as Requester) ?? capabilities;
    }
    return capabilities;
  }

  /** What answers a method in a revision; undefined: it is not found. */
  answer(method: string, revision: Revision): Answer | undefined {
    return this.#offer(revision).methods.get(method);
  }

  /** The extension that adds this key to the filter of `subscriptions/listen`. */
  filter(key: string): Extension | undefined {
    return this.#filters.get(key);
  }

  /** The extension that defines this value of `resultType`. */
  resultType(name: unknown): Extension | undefined {
    return this.#resultTypes.get(name);
  }

  /** The input schema of a tool. */
  toolInput(name: string): Tool['inputSchema'] | undefined {
    return this.#features.find((feature) => feature.toolInput)?.toolInput?.(name);
  }

  /** Throws where the requester may not watch the resource of this URI. */
  watch(uri: string, requester: Pick<Exchange, 'auth'>): void {
    for (const feature of this.#features) feature.watch?.(uri, requester);
  }

  /** Whether something has `scopes`. */
  get scoped(): boolean {
    return this.#features.some(({ scoped }) => scoped);
  }

  #offer(revision: Revision): Offer {
    const known = this.#offers.get(revision);
    if (known) return known;
    const capabilities: ServerCapabilities = { logging: {} };
    const methods = new Map<string, Answer>();
    const legacy = revision.era === 'legacy';
    for (const [method, extension] of legacy ? [] : this.#methods) {
      methods.set(method, this.#extensionAnswer(extension, extension.methods?.[method]));
    }
    for (const { legacy: own } of legacy ? this.#extensions.values() : []) {
      const added = own?.capabilities(revision.version);
      if (!own || !added) continue;
      Object.assign(capabilities, added);
      for (const [method, handler] of Object.entries(own.methods)) {
        methods.set(method, (params, exchange) =>
          this.#guard(exchange, () => handler(params, exchange as never)));
      }
    }
    for (const feature of this.#features) {
      const added = feature.capabilities(revision);
      if (!added) continue;
      Object.assign(capabilities, added);
      for (const [method, answer] of Object.entries(feature.methods)) methods.set(method, answer);
    }
    if (revision.extensions && this.#extensions.size > 0) {
      capabilities.extensions = Object.fromEntries(
        [...this.#extensions.values()].map(({ id, settings = {} }) => [id, settings]),
      );
    }
    const offer = { capabilities, methods };
    this.#offers.set(revision, offer);
    return offer;
  }

  #extensionAnswer(extension: Extension, handler: NonNullable<Extension['methods']>[string] | undefined): Answer {
    return (params, exchange) => {
      needExtension(extension, exchange);
      return this.#guard(exchange, () => handler?.(params, exchange as never));
    };
  }
}
