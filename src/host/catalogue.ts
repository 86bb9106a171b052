import { errorMessage, isObject } from '../jsonrpc/internal-exports.ts';
import { quote } from '../bounds/quote.ts';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../protocol/index.ts';
import { HostError } from './errors.ts';
import { catalogueName } from './names.ts';
import type { Pin, PinnedServer } from './pins.ts';
import type { HostStore } from './store.ts';

/** A tool of a server, under a name that is unique in the host. */
export interface CatalogueTool {
  /** For a model: unique over all servers, at most 64 characters of `A-Z a-z 0-9 _ -`. */
  readonly name: string;
  readonly server: string;
  readonly tool: Tool;
  readonly digest: string;
}

/** A prompt, resource or template of a server. */
export interface Offered<T> {
  readonly server: string;
  readonly item: T;
}

const key = (identity: string): string => `pins/${identity}`;

/** The stored facts about a server, with the names of its tools in the catalogue. */
interface ServerEntry {
  readonly kept: PinnedServer;
  /** By their own names. */
  readonly tools: ReadonlyMap<string, CatalogueTool>;
}

/**
 * Everything that the servers offer, as it was last listed and accepted. It is read from the store, so no server has
 * to run.
 */
export class Catalogue {
  readonly #store: HostStore;
  readonly #identity: (server: string) => string;
  /** Whether a tool is offered. */
  readonly offers: (server: string, tool: Tool) => boolean;
  readonly #hides: (server: string, tool: string) => boolean;
  /** In the order in which the servers were added to the host; undefined: never listed. A server that answers late keeps its place. */
  readonly #servers = new Map<string, ServerEntry | undefined>();
  #tools: CatalogueTool[] | undefined;
  #byName: Map<string, CatalogueTool[]> | undefined;

  /**
   * `identity`: the name under which a server's pins are stored. `offers`: whether a tool is offered. `hides`: whether a pending change of
   * a tool hides it.
   */
  constructor(
    store: HostStore, identity: (server: string) => string, offers: (server: string, tool: Tool) => boolean,
    hides: (server: string, tool: string) => boolean = () => false,
  ) {
    this.#store = store;
    this.#identity = identity;
    this.offers = offers;
    this.#hides = hides;
  }

  #isListed({ server, tool }: Pick<CatalogueTool, 'server' | 'tool'>): boolean {
    return this.offers(server, tool) && !this.#hides(server, tool.name);
  }

  /** Reads the stored facts about these servers. */
  async load(servers: readonly string[]): Promise<void> {
    for (const server of servers) {
      const kept = await this.#store.get(key(this.#identity(server)));
      this.#servers.set(server, isPinnedServer(kept) ? await entryOf(server, kept) : undefined);
    }
    this.changed();
  }

  /** The stored facts about a server, including tools that are not offered; undefined: it was never listed. */
  server(server: string): PinnedServer | undefined {
    return this.#servers.get(server)?.kept;
  }

  /** The stored facts about a server without the tools that are not offered, and the names of these tools. */
  offeredBy(server: string): { readonly listed: PinnedServer | undefined; readonly hidden: readonly string[] } {
    const kept = this.server(server);
    if (!kept) return { listed: kept, hidden: [] };
    const hidden = Object.values(kept.tools).filter(({ tool }) => !this.#isListed({ server, tool })).map(({ tool }) => tool.name);
    if (hidden.length === 0) return { listed: kept, hidden };
    const left = new Set(hidden);
    // fromEntries calls no setter: `__proto__` is a name like any other.
    return { listed: { ...kept, tools: Object.fromEntries(Object.entries(kept.tools).filter(([name]) => !left.has(name))) }, hidden };
  }

  /** Removes a server from the host; the store keeps its facts. */
  leave(server: string): void {
    this.#servers.delete(server);
    this.changed();
  }

  /** The pin of a tool; undefined: the tool was never seen. */
  pin(server: string, tool: string): Pin | undefined {
    const tools = this.#servers.get(server)?.kept.tools;
    return tools && Object.hasOwn(tools, tool) ? tools[tool] : undefined;
  }

  /**
   * Stores a server's lists, and replaces the stored ones. Rejects with a `HostError` `store-failed`, and keeps
   * the old state, if the store fails: a lost pin would protect nothing.
   */
  async keep(server: string, kept: PinnedServer): Promise<void> {
    const entry = await entryOf(server, kept);
    try {
      await this.#store.set(key(this.#identity(server)), kept);
    } catch (thrown) {
      throw new HostError('store-failed', `the lists of ${server} could not be stored: ${errorMessage(thrown)}`, { cause: thrown });
    }
    this.#servers.set(server, entry);
    this.changed();
  }

  /** All tools of all servers that are offered, under unique names. The same list until one of them changes. */
  tools(): readonly CatalogueTool[] {
    return this.#tools ??= [...this.#servers.values()]
      .flatMap((entry) => [...entry?.tools.values() ?? []].filter((tool) => this.#isListed(tool)));
  }

  /**
   * The tool that is offered under this name in the catalogue, or as this `server/tool`. Throws a `HostError`
   * `ambiguous-name` if that means two tools: the tool `b/c` of the server `a`, and `c` of `a/b`.
   */
  tool(name: string): CatalogueTool | undefined {
    const [found, other] = this.#named(name).filter((tool) => this.#isListed(tool));
    if (other) throw new HostError('ambiguous-name', `${quote(name)} names tools of two servers`);
    return found;
  }

  /** A tool of this name that is not offered. */
  hidden(name: string): CatalogueTool | undefined {
    return this.#named(name).find((tool) => !this.#isListed(tool));
  }

  #named(name: string): readonly CatalogueTool[] {
    if (!this.#byName) {
      this.#byName = new Map();
      for (const tool of [...this.#servers.values()].flatMap((entry) => [...entry?.tools.values() ?? []])) {
        for (const one of [tool.name, `${tool.server}/${tool.tool.name}`]) {
          const named = this.#byName.get(one);
          if (named) named.push(tool);
          else this.#byName.set(one, [tool]);
        }
      }
    }
    return this.#byName.get(name) ?? [];
  }

  /** A tool of one server, by its own name there, whether or not it is offered. */
  toolOf(server: string, tool: string): CatalogueTool | undefined {
    return this.#servers.get(server)?.tools.get(tool);
  }

  /** All prompts, each with its server. */
  prompts(): Offered<Prompt>[] {
    return this.#offered(({ prompts }) => prompts);
  }

  /** All resources, each with its server. */
  resources(): Offered<Resource>[] {
    return this.#offered(({ resources }) => resources);
  }

  /** All resource templates, each with its server. */
  templates(): Offered<ResourceTemplate>[] {
    return this.#offered(({ templates }) => templates);
  }

  #offered<T>(of: (kept: PinnedServer) => readonly T[]): Offered<T>[] {
    return [...this.#servers].flatMap(([server, entry]) => (entry ? of(entry.kept).map((item) => ({ server, item })) : []));
  }

  /** Discards the lists, since the offered tools may have changed. They are made again when needed. */
  changed(): void {
    this.#tools = undefined;
    this.#byName = undefined;
  }
}

async function entryOf(server: string, kept: PinnedServer): Promise<ServerEntry> {
  const tools = new Map<string, CatalogueTool>();
  for (const { tool, digest } of Object.values(kept.tools)) tools.set(tool.name, { name: await catalogueName(server, tool.name), server, tool, digest });
  return { kept, tools };
}

/** The application owns the store; a value may be of another version, or foreign. */
function isPinnedServer(value: unknown): value is PinnedServer {
  return isObject(value) && isObject(value['tools']) && typeof value['listedAt'] === 'number'
    && Array.isArray(value['prompts']) && Array.isArray(value['resources']) && Array.isArray(value['templates'])
    && arePins(value['tools']) && (value['gone'] === undefined || (isObject(value['gone']) && arePins(value['gone'])));
}

const arePins = (pins: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(pins).every(([name, pin]) => isObject(pin) && typeof pin['digest'] === 'string' && isObject(pin['tool']) && pin['tool']['name'] === name);
