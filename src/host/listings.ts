import { errorMessage } from '../jsonrpc/errors.ts';
import type { McpClient } from '../client/index.ts';
import type { ActivityLog } from './activity-log.ts';
import type { Catalogue, CatalogueTool } from './catalogue.ts';
import { HostError } from './errors.ts';
import type { ManagedServer } from './managed-server.ts';
import { comparePins } from './pins.ts';
import type { Pin, PinChange } from './pins.ts';

/** What listing needs of the host. */
export interface ListingsOptions {
  readonly catalogue: Catalogue;
  readonly log: ActivityLog;
  readonly now: () => number;
  /** Who accepts changes, unless somebody is named. */
  readonly principal: string;
  /** Throws a `HostError` `no-such-server` for a name that is none. */
  readonly server: (name: string) => ManagedServer;
  /** Resolves once the catalogue has been read from the store. */
  readonly loaded: () => Promise<void>;
  readonly onChanges?: ((server: string, changes: readonly PinChange[]) => void) | undefined;
  readonly onListed?: ((server: string) => void) | undefined;
}

/** Lists servers, holds what they list against the pins, and keeps what changed until a person has seen it. */
export class Listings {
  readonly #options: ListingsOptions;
  /** Changes that wait for a person, by `server/tool`. */
  readonly #waiting = new Map<string, PinChange>();
  readonly #listing = new Map<string, Promise<void>>();
  /** The connection in which a server was last listed. A definition may have changed while the server did not run. */
  readonly #listedOver = new Map<string, McpClient>();

  constructor(options: ListingsOptions) {
    this.#options = options;
  }

  /** Lists those of these servers that were never listed; one that cannot be is reported. */
  async missing(names: readonly string[], report: (error: Error, name: string) => void): Promise<void> {
    await Promise.all(names.filter((name) => this.#options.catalogue.server(name) === undefined)
      .map((name) => this.refresh(name).catch((thrown: unknown) => report(thrown instanceof Error ? thrown : new Error(errorMessage(thrown)), name))));
  }

  /** Lists a server again and compares with what was accepted. One listing a server at a time. */
  async refresh(name: string): Promise<void> {
    const server = this.#options.server(name);
    await this.#options.loaded();
    const under = this.#listing.get(name);
    // What is being read now may be older than what made us read again.
    if (under) await under.catch(() => {});
    const again = this.#listing.get(name);
    if (again && again !== under) return again;
    const listing = this.#list(name, server).finally(() => {
      if (this.#listing.get(name) === listing) this.#listing.delete(name);
    });
    this.#listing.set(name, listing);
    return listing;
  }

  async #list(name: string, server: ManagedServer): Promise<void> {
    const { catalogue, log, now } = this.#options;
    const client = await server.client();
    this.#listedOver.set(name, client);
    const has = client.capabilities;
    const [tools, prompts, resources, templates] = await Promise.all([
      has?.tools ? client.listTools({ fresh: true }) : [],
      has?.prompts ? client.listPrompts({ fresh: true }) : [],
      has?.resources ? client.listResources({ fresh: true }) : [],
      has?.resources ? client.listResourceTemplates({ fresh: true }) : [],
    ]);
    const before = catalogue.server(name);
    // A server chooses the names: on an object without a prototype `__proto__` is one like the rest.
    const pins = Object.assign(Object.create(null) as Record<string, Pin>, before?.tools);
    const changes = await comparePins(name, pins, tools);
    for (const change of changes) {
      const { kind, digest, after } = change;
      const key = `${name}/${change.name}`;
      this.#waiting.delete(key);
      if (kind === 'gone') delete pins[change.name];
      else if (kind === 'new' && after && digest !== undefined) pins[change.name] = { digest, tool: after };
      // A changed tool keeps its old pin until a person has seen it; a renamed one has none until then.
      else {
        this.#waiting.set(key, change);
        if (kind === 'renamed' && change.formerly !== undefined) delete pins[change.formerly];
      }
    }
    for (const [key, change] of this.#waiting) {
      const still = change.server !== name || changes.some((one) => one.name === change.name);
      if (!still) this.#waiting.delete(key);
    }
    await catalogue.keep(name, {
      tools: pins, prompts, resources, templates, listedAt: now(),
    });
    const told = before === undefined ? changes.filter(({ kind }) => kind !== 'new') : changes;
    for (const { kind, name: tool, formerly, diff } of told) {
      void log.record('pin', { server: name, tool, change: kind, ...formerly !== undefined && { formerly }, diff });
    }
    if (changes.length > 0) this.#options.onChanges?.(name, changes);
    this.#options.onListed?.(name);
  }

  /** The tools that are not what was accepted, and wait for a person. */
  pending(): readonly PinChange[] {
    return [...this.#waiting.values()];
  }

  /** Accepts a tool as it is now. Grants for what it was do not hold for it. */
  async accept(change: PinChange, by: string = this.#options.principal): Promise<void> {
    const { catalogue, log } = this.#options;
    const { server, name, digest, after } = change;
    const kept = catalogue.server(server);
    const key = `${server}/${name}`;
    if (!kept || !after || digest === undefined || this.#waiting.get(key)?.digest !== digest) {
      throw new HostError('tool-changed', `${key} is not what was shown any more`);
    }
    this.#waiting.delete(key);
    await catalogue.keep(server, { ...kept, tools: { ...kept.tools, [name]: { digest, tool: after } } });
    await log.record('pin', { server, tool: name, change: 'accepted', digest, by });
  }

  /** Starts the server where it does not run, and lists it where that connection has not been listed yet. */
  async current(name: string, signal: AbortSignal | undefined): Promise<void> {
    const client = await this.#options.server(name).client(signal);
    if (this.#listedOver.get(name) !== client) await this.refresh(name);
  }

  /** The change of a tool that waits for a person, by `server/tool` or by its entry in the catalogue. */
  changeOf(tool: string | CatalogueTool | undefined): PinChange | undefined {
    return tool === undefined ? undefined : this.#waiting.get(typeof tool === 'string' ? tool : `${tool.server}/${tool.tool.name}`);
  }

  /** The server is no longer the host's; its pins are kept. */
  forget(name: string): void {
    this.#listedOver.delete(name);
    for (const [key, change] of this.#waiting) if (change.server === name) this.#waiting.delete(key);
  }
}
