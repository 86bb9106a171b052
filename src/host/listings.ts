import type { Clock } from '../bounds/clock.ts';
import { errorMessage, toError } from '../jsonrpc/internal-exports.ts';
import type { ListName, McpClient } from '../client/index.ts';
import type { ActivityLog } from './activity-log.ts';
import type { Catalogue } from './catalogue.ts';
import { canonicalJson } from '../skills/digest.ts';
import { HostError } from './errors.ts';
import { admitted } from './listed-items.ts';
import type { ItemKind, ListingLimits } from './listed-items.ts';
import { abortable } from './managed-server.ts';
import type { ManagedServer } from './managed-server.ts';
import { comparePins } from './pins.ts';
import type { Pin, PinChange, PinnedServer } from './pins.ts';

/** The parts of the host that `Listings` needs. */
export interface ListingsOptions {
  readonly catalogue: Catalogue;
  readonly log: ActivityLog;
  readonly clock: Clock;
  readonly limits: ListingLimits;
  /** The name that is recorded for accepted changes, unless another is given. */
  readonly principal: string;
  /** Throws a `HostError` `no-such-server` for an unknown name. */
  readonly server: (name: string) => ManagedServer;
  /** Resolves once the catalogue has been read from the store. */
  readonly loaded: () => Promise<void>;
  readonly onChanges?: ((server: string, changes: readonly PinChange[]) => void) | undefined;
  readonly onListed?: ((server: string) => void) | undefined;
  readonly onError?: ((error: Error, server: string) => void) | undefined;
}

/** The state of one server's tools, apart from its pins. */
interface ListingState {
  /**
   * The connection over which the tools were last listed. While the server did not run, definitions may have changed.
   */
  connection: object | undefined;
  /** The time of that listing, in milliseconds of the monotonic clock. */
  at: number;
  /**
   * The number of listings that were begun; the number of the last listing that was kept; the number that was begun
   * before the last announced change.
   */
  begun: number;
  kept: number;
  changed: number;
  listing: Promise<void> | undefined;
  /** The last of the pending changes of the server's stored facts: they run one after another. */
  keeping: Promise<unknown>;
  /** Changes that wait for a person, by the tool's name. */
  waiting: ReadonlyMap<string, PinChange>;
  /** The last reported problem with this server: each is reported once. */
  told: string;
}

/** How often a server's tools are listed before one call, if it announces a change each time. */
const maxListings = 5;
/** A server over HTTP without a session may be a different one at any time: its lists are trusted for this long. */
const maxAgeMs = 60_000;
/** The number of changes in one listing that get their own lines in the log; the others are counted. */
const maxLogged = 100;

/** Lists servers, compares their lists with the pins, and keeps changes until a person has seen them. */
export class Listings {
  readonly #options: ListingsOptions;
  readonly #listed = new Map<string, ListingState>();

  constructor(options: ListingsOptions) {
    this.#options = options;
  }

  #of(name: string): ListingState {
    let listed = this.#listed.get(name);
    if (!listed) {
      listed = { connection: undefined, at: 0, begun: 0, kept: 0, changed: 0, listing: undefined, keeping: Promise.resolve(), waiting: new Map(), told: '' };
      this.#listed.set(name, listed);
    }
    return listed;
  }

  /** Lists each of these servers that was never listed and may be started now. A server that fails is left out, and reported once. */
  async missing(names: readonly string[]): Promise<void> {
    const { catalogue, server } = this.#options;
    await Promise.all(names.filter((name) => catalogue.server(name) === undefined && server(name).isDue)
      .map((name) => this.refresh(name).catch((thrown: unknown) => this.#tell(name, toError(thrown)))));
  }

  /** Reports a problem with a server, unless it is the last one that was reported. */
  #tell(name: string, error: Error): void {
    const listed = this.#of(name);
    if (listed.told === error.message) return;
    listed.told = error.message;
    this.#options.onError?.(error, name);
  }

  /** Called when a server announces a changed list. The server is listed again, and its tools before the next call. */
  announced(name: string, list: ListName): void {
    const listed = this.#of(name);
    if (list === 'tools') listed.changed = listed.begun;
    this.refresh(name).catch((thrown: unknown) => this.#tell(name, new Error(`${name} could not be listed again: ${errorMessage(thrown)}`)));
  }

  /** The number of the next listing, for `current`. */
  next(name: string): number {
    return this.#of(name).begun + 1;
  }

  /** See `Host.refresh`. */
  async refresh(name: string): Promise<void> {
    const server = this.#options.server(name);
    await this.#options.loaded();
    const listed = this.#of(name);
    const under = listed.listing;
    // The listing that runs now may be older than the reason for this one.
    if (under) await under.catch(() => {});
    if (listed.listing) return listed.listing;
    const listing = this.#list(name, server, listed).finally(() => {
      if (listed.listing === listing) listed.listing = undefined;
    });
    listed.listing = listing;
    return listing;
  }

  async #list(name: string, server: ManagedServer, listed: ListingState): Promise<void> {
    const client = await server.client();
    const { connection } = server;
    const number = ++listed.begun;
    await this.#compare(name, client, listed);
    // If the program was restarted meanwhile, the list may come half from the old process.
    if (connection === server.connection) Object.assign(listed, { connection, kept: number, at: this.#options.clock.monotonic() });
    this.#options.onListed?.(name);
  }

  async #compare(name: string, client: McpClient, listed: ListingState): Promise<void> {
    const { catalogue, clock, limits } = this.#options;
    const offered = await this.#offered(name, client);
    await inTurn(listed, async () => {
      const before = catalogue.server(name);
      const changes = await comparePins(name, before?.tools ?? {}, offered.tools, before?.gone);
      const { tools, gone, waiting } = pinned(before, changes, limits.maxListed);
      await catalogue.keep(name, { ...offered, tools, gone, listedAt: clock.now() });
      // Changes that already wait have been reported.
      const told = changes.filter(({ name: tool, digest }) => digest === undefined || listed.waiting.get(tool)?.digest !== digest);
      listed.waiting = waiting;
      catalogue.changed();
      this.#record(name, before === undefined ? told.filter(({ kind }) => kind !== 'new') : told);
      if (told.length > 0) this.#options.onChanges?.(name, told);
    });
  }

  /** Everything that a server offers; items beyond a limit are left out and reported. */
  async #offered(name: string, client: McpClient): Promise<Omit<PinnedServer, 'tools' | 'gone' | 'listedAt'> & { readonly tools: Parameters<typeof comparePins>[2] }> {
    const has = client.capabilities;
    const [tools, prompts, resources, templates] = await Promise.all([
      has?.tools ? client.listTools({ fresh: true }) : [],
      has?.prompts ? client.listPrompts({ fresh: true }) : [],
      has?.resources ? client.listResources({ fresh: true }) : [],
      has?.resources ? client.listResourceTemplates({ fresh: true }) : [],
    ]);
    const left: string[] = [];
    const take = <T extends { readonly name: string }>(kind: ItemKind, items: readonly T[]): readonly T[] => {
      const one = admitted(kind, items, this.#options.limits);
      if (one.left !== '') left.push(one.left);
      return one.kept;
    };
    const offered = { tools: take('tool', tools), prompts: take('prompt', prompts), resources: take('resource', resources), templates: take('template', templates) };
    if (left.length > 0) this.#tell(name, new Error(left.join('. ')));
    else this.#of(name).told = '';
    return offered;
  }

  #record(server: string, changes: readonly PinChange[]): void {
    const { log } = this.#options;
    for (const { kind, name: tool, formerly, diff } of changes.slice(0, maxLogged)) {
      void log.record('pin', { server, tool, change: kind, ...formerly !== undefined && { formerly }, diff });
    }
    if (changes.length > maxLogged) void log.record('pin', { server, change: 'more', count: changes.length - maxLogged });
  }

  /** See `Host.pendingChanges`. */
  pending(): readonly PinChange[] {
    return [...this.#listed.values()].flatMap(({ waiting }) => [...waiting.values()]);
  }

  /** See `Host.acceptChange`. */
  async accept(change: PinChange, by: string = this.#options.principal): Promise<void> {
    const { catalogue, log } = this.#options;
    const { server, name, digest, after } = change;
    const listed = this.#of(server);
    await inTurn(listed, async () => {
      const kept = catalogue.server(server);
      if (!kept || !after || digest === undefined || listed.waiting.get(name)?.digest !== digest) {
        throw new HostError('tool-changed', `${server}/${name} has changed since it was shown`);
      }
      await catalogue.keep(server, { ...kept, tools: { ...kept.tools, [name]: { digest, tool: after } } });
      listed.waiting = new Map([...listed.waiting].filter(([one]) => one !== name));
      catalogue.changed();
    });
    await log.record('pin', { server, tool: name, change: 'accepted', digest, by });
  }

  /**
   * The client of a server, started if it does not run. Its tools were listed over its connection, and it has
   * announced no change since. `from`: the number of the first listing that suffices, see `next`. Rejects with
   * `tool-changed` if the server announces changes faster than it can be listed.
   */
  async current(name: string, signal: AbortSignal | undefined, from: number = 0): Promise<McpClient> {
    const server = this.#options.server(name);
    for (let times = 0; times < maxListings; times++) {
      const client = await server.client(signal);
      if (this.isCurrent(name) && this.#of(name).kept >= from) return client;
      await abortable(this.refresh(name), signal);
    }
    throw new HostError('tool-changed', `${name} changes faster than it can be listed`);
  }

  /** Whether the pinned tools are those that the server listed over its current connection. */
  isCurrent(name: string): boolean {
    const { server, clock } = this.#options;
    const { connection, kept, changed, at } = this.#of(name);
    const { connection: present, isSessionless } = server(name);
    // By the monotonic clock, so that setting the system's clock back cannot keep an old list valid.
    return connection !== undefined && connection === present && kept > changed && (!isSessionless || clock.monotonic() - at < maxAgeMs);
  }

  /** The change of a tool that waits for a person. */
  changeOf(server: string, tool: string): PinChange | undefined {
    return this.#listed.get(server)?.waiting.get(tool);
  }

  /** The change that waits for a person, by `server/tool`. */
  changeNamed(name: string): PinChange | undefined {
    for (const [server, { waiting }] of this.#listed) {
      const change = name.startsWith(`${server}/`) ? waiting.get(name.slice(server.length + 1)) : undefined;
      if (change) return change;
    }
    return undefined;
  }

  /** The server no longer belongs to the host; its pins stay. */
  forget(name: string): void {
    this.#listed.delete(name);
  }
}

/** Runs `work` after the earlier calls for this server have ended. */
function inTurn(listed: ListingState, work: () => Promise<void>): Promise<void> {
  const mine = listed.keeping.then(work);
  listed.keeping = mine.catch(() => {});
  return mine;
}

/**
 * The pins after a listing, and the changes that wait for a person. Until a person has seen them, a changed tool
 * keeps its old pin, and a renamed tool has none. Pins of gone tools are kept: one that comes back must be unchanged,
 * or is shown. No pin is dropped: once there are `most`, a new tool waits for a person like a changed one.
 */
function pinned(before: PinnedServer | undefined, changes: readonly PinChange[], most: number): {
  readonly tools: Readonly<Record<string, Pin>>; readonly gone: Readonly<Record<string, Pin>>; readonly waiting: ReadonlyMap<string, PinChange>;
} {
  // Servers choose the names: on an object without a prototype `__proto__` is a name like any other.
  const copy = (pins: Readonly<Record<string, Pin>> = {}): Record<string, Pin> => Object.assign(Object.create(null) as Record<string, Pin>, pins);
  const [tools, gone] = [copy(before?.tools), copy(before?.gone)];
  let count = Object.keys(tools).length + Object.keys(gone).length;
  const waiting = new Map<string, PinChange>();
  const move = (name: string, from: Record<string, Pin>, to: Record<string, Pin>): void => {
    const pin = from[name];
    if (!pin) return;
    delete from[name];
    to[name] = to === gone ? slim(pin) : pin;
  };
  for (const change of changes) {
    const { kind, name, digest, after } = change;
    if (kind === 'gone') move(name, tools, gone);
    else if (kind === 'back') move(name, gone, tools);
    else if (kind === 'new' && after && digest !== undefined && count < most) {
      tools[name] = { digest, tool: after };
      count++;
    } else {
      if (kind === 'changed') move(name, gone, tools);
      if (kind === 'renamed' && change.formerly !== undefined) move(change.formerly, tools, gone);
      waiting.set(name, change);
    }
  }
  return { tools, gone, waiting };
}

/**
 * The number of characters of a gone tool's definition that are kept; of a longer definition only the digest is kept.
 */
const maxGoneChars = 4_096;

function slim({ digest, tool }: Pin): Pin {
  if (canonicalJson(tool).length <= maxGoneChars) return { digest, tool };
  return { digest, tool: { name: tool.name, description: '(the definition was too long to keep)', inputSchema: { type: 'object' } } };
}
