import { isObject } from '../jsonrpc/codec.ts';
import type { Prompt } from '../protocol/prompts.ts';
import type { Resource, ResourceTemplate } from '../protocol/resources.ts';
import type { Tool } from '../protocol/tools.ts';
import { uniqueNames } from './names.ts';
import type { Pin, PinnedServer } from './pins.ts';
import type { HostStore } from './store.ts';
import { ToolSearch } from './tool-search.ts';

/** A tool of some server, under a name that no other tool of the host has. */
export interface CatalogueTool {
  /** For a model: unique over all servers, at most 64 characters of `A-Z a-z 0-9 _ -`. */
  readonly name: string;
  readonly server: string;
  readonly tool: Tool;
  readonly digest: string;
}

/** Something else that a server offers. */
export interface Offered<T> {
  readonly server: string;
  readonly item: T;
}

const key = (server: string): string => `pins/${server}`;

/** All that the servers offer, as it was last listed and accepted. It is read from the store, so no server has to run. */
export class Catalogue {
  readonly #store: HostStore;
  readonly #servers = new Map<string, PinnedServer>();
  #tools: CatalogueTool[] | undefined;
  #byName: Map<string, CatalogueTool> | undefined;
  #search: ToolSearch<CatalogueTool> | undefined;

  constructor(store: HostStore) {
    this.#store = store;
  }

  /** Reads what is kept of these servers. */
  async load(servers: readonly string[]): Promise<void> {
    for (const server of servers) {
      const kept = await this.#store.get(key(server));
      if (isPinnedServer(kept)) this.#servers.set(server, kept);
    }
    this.#changed();
  }

  /** What is kept of a server; undefined: it was never listed. */
  server(server: string): PinnedServer | undefined {
    return this.#servers.get(server);
  }

  /** What is pinned of a tool; undefined: it was never seen. */
  /** A server is no longer of the host's; what the store has of it stays. */
  leave(server: string): void {
    this.#servers.delete(server);
    this.#changed();
  }

  /** What is pinned of a tool; undefined: it was never seen. */
  pin(server: string, tool: string): Pin | undefined {
    const tools = this.#servers.get(server)?.tools;
    return tools && Object.hasOwn(tools, tool) ? tools[tool] : undefined;
  }

  /** Keeps what a server offers, in place of what was kept. */
  async keep(server: string, kept: PinnedServer): Promise<void> {
    this.#servers.set(server, kept);
    this.#changed();
    await this.#store.set(key(server), kept);
  }

  /** All tools of all servers, under names that do not collide. */
  tools(): readonly CatalogueTool[] {
    if (this.#tools) return this.#tools;
    const all = [...this.#servers].flatMap(([server, { tools }]) =>
      Object.values(tools).map(({ tool, digest }) => ({ server, tool, digest })));
    const names = uniqueNames(all.map(({ server, tool }) => [server, tool.name]));
    return this.#tools = all.map((one, i) => ({ name: names[i] as string, ...one }));
  }

  /** By its name in the catalogue, or as `server/tool`. */
  tool(name: string): CatalogueTool | undefined {
    this.#byName ??= new Map(this.tools().flatMap((tool): [string, CatalogueTool][] =>
      [[`${tool.server}/${tool.tool.name}`, tool], [tool.name, tool]]));
    return this.#byName.get(name);
  }

  /** The tools that fit a query best, best first. */
  find(query: string, limit?: number): CatalogueTool[] {
    this.#search ??= new ToolSearch(this.tools());
    return this.#search.find(query, limit);
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
    return [...this.#servers].flatMap(([server, kept]) => of(kept).map((item) => ({ server, item })));
  }

  #changed(): void {
    this.#tools = undefined;
    this.#byName = undefined;
    this.#search = undefined;
  }
}

/** The store is the application's; what it returns may be of another version, or not ours. */
function isPinnedServer(value: unknown): value is PinnedServer {
  return isObject(value) && isObject(value['tools']) && typeof value['listedAt'] === 'number'
    && Array.isArray(value['prompts']) && Array.isArray(value['resources']) && Array.isArray(value['templates'])
    && Object.values(value['tools']).every((pin) => isObject(pin) && typeof pin['digest'] === 'string' && isObject(pin['tool']));
}
