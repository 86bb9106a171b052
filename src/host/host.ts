import { McpClient } from '../client/index.ts';
import type { CallOptions, ClientOptions, ListName } from '../client/index.ts';
import { ConnectionError, errorMessage, RpcError } from '../jsonrpc/errors.ts';
import type { Implementation } from '../protocol/initialize.ts';
import type { GetPromptResult } from '../protocol/prompts.ts';
import type { ReadResourceResult } from '../protocol/resources.ts';
import type { Root } from '../protocol/roots.ts';
import type { CallToolResult, Tool } from '../protocol/tools.ts';
import { compile } from '../schema/index.ts';
import type { ClientTransport, Trace } from '../transport/port.ts';
import { ActivityLog, memoryLog } from './activity-log.ts';
import type { LogSink } from './activity-log.ts';
import { Approvals } from './approvals.ts';
import type { Grant, Shown } from './approvals.ts';
import { Catalogue } from './catalogue.ts';
import type { CatalogueTool } from './catalogue.ts';
import type { ServerConfig } from './config.ts';
import { HostError } from './errors.ts';
import { defaultRestartLimits, ManagedServer } from './managed-server.ts';
import type { RestartLimits, ServerState } from './managed-server.ts';
import type { ApprovalRequest, Person } from './person.ts';
import { comparePins } from './pins.ts';
import type { PinChange, PinnedServer } from './pins.ts';
import { ServerQuestions } from './questions.ts';
import type { Model } from './questions.ts';
import { rule } from './rules.ts';
import type { ResolvePath, Rule, Ruling } from './rules.ts';
import { memoryStore } from './store.ts';
import type { HostStore } from './store.ts';

/** What `Host` may be given. */
export interface HostOptions {
  /** Who the host says it is to servers. */
  readonly info: Implementation;
  /** The servers by name, as `readServers` reads them. */
  readonly servers: Readonly<Record<string, ServerConfig>>;
  /** Opens the way to a server. On Node `openServer` of `barewire/host/node` does. */
  readonly transport: (name: string, config: ServerConfig, hooks: TransportHooks) => ClientTransport;
  /** Makes the client of a server, such as one of barewire/tasks. Default: an `McpClient` with these options. */
  readonly client?: (server: string, info: Implementation, options: ClientOptions) => McpClient;
  /** What may run without being asked. First match wins; default: everything is asked. */
  readonly rules?: readonly Rule[];
  readonly person?: Person;
  readonly model?: Model;
  /** Pins and grants. Default: in memory. */
  readonly store?: HostStore;
  /** The activity log. Default: the last 10,000 lines in memory. */
  readonly log?: LogSink;
  /** Who uses the host. Approvals and grants belong to them. Default: `user`. */
  readonly principal?: string;
  /** Where a path of a tool's argument really leads; without it links are not followed. */
  readonly resolvePath?: ResolvePath;
  /** Sees every message of every server. */
  readonly trace?: (server: string, entry: Parameters<Trace>[0]) => void;
  /** A line that a server's program wrote to stderr. */
  readonly onStderr?: (server: string, line: string) => void;
  /** A server's state changed; `why`, where it is known. */
  readonly onState?: (server: string, state: ServerState, why?: string) => void;
  /** A list of a server changed, and was read again; pins say what is new. */
  readonly onChanges?: (server: string, changes: readonly PinChange[]) => void;
  /** What went wrong beside any call. */
  /** A server was listed, whether or not anything changed. */
  readonly onListed?: (server: string) => void;
  readonly onError?: (error: Error, server?: string) => void;
  readonly limits?: Partial<HostLimits>;
  /** Milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: () => number;
}

/** What a transport of a host reports to. */
export interface TransportHooks {
  readonly trace: Trace;
  /** A line that the program wrote to stderr. */
  readonly onStderr: (line: string) => void;
}

export interface HostLimits extends RestartLimits {
  /** How long what was shown to a person may be approved, in milliseconds; after that it is shown again. 5 minutes. */
  readonly approvalMs: number;
  /** How often a call is shown because its tool changed meanwhile, or because the answer came too late. 3. */
  readonly maxAsks: number;
}

/** Defaults of `HostLimits`. */
export const defaultHostLimits: HostLimits = { ...defaultRestartLimits, approvalMs: 300_000, maxAsks: 3 };

/** A server as an application shows it. */
export interface ServerStatus {
  readonly name: string;
  readonly state: ServerState;
  /** Why it is down or broken. */
  readonly why: string;
  readonly disabled: boolean;
  readonly trusted: boolean;
  /** Undefined while it is not connected. */
  readonly client: McpClient | undefined;
  /** Undefined where it was never listed. */
  readonly listed: PinnedServer | undefined;
}

/** What a call may be given. */
export interface HostCallOptions extends Pick<CallOptions, 'signal' | 'onProgress' | 'timeoutMs'> {
  /** How a tool is called once that is allowed, such as by `startTool` of barewire/tasks. Default: `callTool` of the client. */
  readonly via?: (client: McpClient, tool: string, args: Readonly<Record<string, unknown>>, options: CallOptions) => Promise<CallToolResult>;
}

/**
 * Many servers in one hand: the host of the specification's architecture (2025-11-25 architecture#core-components). It
 * starts servers when they are needed, shows one catalogue of all, and lets nothing run that neither a rule nor a person
 * allowed. It owns no process, file or screen: transports, store, log and person are handed in.
 */
export class Host {
  readonly #options: HostOptions;
  readonly #limits: HostLimits;
  readonly #principal: string;
  readonly #store: HostStore;
  readonly #log: ActivityLog;
  readonly #catalogue: Catalogue;
  readonly #configs: Map<string, ServerConfig>;
  readonly #servers = new Map<string, ManagedServer>();
  readonly #roots = new Map<string, readonly Root[]>();
  /** Changes that wait for a person, by `server/tool`. */
  readonly #waiting = new Map<string, PinChange>();
  readonly #listing = new Map<string, Promise<void>>();
  /** The connection in which a server was last listed. A definition may have changed while the server did not run. */
  readonly #listedOver = new Map<string, McpClient>();
  #approvals: Approvals;
  #loaded: Promise<void> | undefined;
  #calls = 0;

  constructor(options: HostOptions) {
    const { now = Date.now, store = memoryStore(), log = memoryLog(), principal = 'user' } = options;
    this.#options = options;
    this.#limits = { ...defaultHostLimits, ...options.limits };
    this.#principal = principal;
    this.#store = store;
    this.#log = new ActivityLog(log, now, (error) => options.onError?.(error));
    this.#catalogue = new Catalogue(store);
    this.#approvals = new Approvals(now, this.#limits.approvalMs);
    this.#configs = new Map(Object.entries(options.servers));
    for (const [name, config] of this.#configs) this.#enter(name, config);
  }

  #enter(name: string, config: ServerConfig): void {
    if (config.disabled) return;
    this.#roots.set(name, config.roots ?? []);
    this.#servers.set(name, this.#manage(name, config));
  }

  /** One more server, which is started when it is first needed. Throws a `HostError` `ambiguous-name` where there is one of that name. */
  async add(name: string, config: ServerConfig): Promise<void> {
    if (this.#configs.has(name)) throw new HostError('ambiguous-name', `there is a server ${JSON.stringify(name)} already`);
    this.#configs.set(name, config);
    await this.#load();
    await this.#catalogue.load([name]);
    this.#enter(name, config);
  }

  /** Ends a server and forgets it; pins and grants are kept for when it comes back. */
  async remove(name: string): Promise<void> {
    const server = this.#servers.get(name);
    if (!this.#configs.delete(name)) throw new HostError('no-such-server', `there is no server ${JSON.stringify(name)}`);
    this.#servers.delete(name);
    this.#roots.delete(name);
    this.#listedOver.delete(name);
    for (const [key, change] of this.#waiting) if (change.server === name) this.#waiting.delete(key);
    this.#catalogue.leave(name);
    await server?.close();
  }

  /** Whether the server's annotations may be believed from now on. */
  trust(name: string, trusted: boolean): void {
    const config = this.#configs.get(name);
    if (!config) throw new HostError('no-such-server', `there is no server ${JSON.stringify(name)}`);
    this.#configs.set(name, { ...config, trusted });
  }

  #manage(name: string, config: ServerConfig): ManagedServer {
    const options = this.#options;
    const now = options.now ?? Date.now;
    const questions = new ServerQuestions(name, options.person ?? {}, this.#log, options.model, config.maxSampledTokens ?? 0);
    const report = (error: Error): void => options.onError?.(error, name);
    return new ManagedServer({
      name,
      info: options.info,
      limits: this.#limits,
      now,
      make: (info, given) => options.client?.(name, info, given) ?? new McpClient(info, given),
      open: () => options.transport(name, config, {
        trace: (entry) => options.trace?.(name, entry),
        onStderr: (line) => options.onStderr?.(name, line),
      }),
      onState: (state, why) => {
        void this.#log.record('server', { server: name, state, ...why !== undefined && { why } });
        options.onState?.(name, state, why);
      },
      client: {
        // A call that has no answer yet when the server goes is recorded as unknown, so nothing may repeat it.
        validator: compile,
        onError: report,
        onElicit: (question, { signal }) => questions.elicit(question, signal),
        onElicitUrl: (question, { signal }) => questions.elicitUrl(question, signal),
        ...options.model && (config.maxSampledTokens ?? 0) > 0
          && { onSample: (params, { signal }) => questions.sample(params, signal) },
        roots: () => this.#roots.get(name) ?? [],
        onListChanged: (list) => this.#relist(name, list, report),
      },
    });
  }

  #relist(name: string, _list: ListName, report: (error: Error) => void): void {
    this.refresh(name).catch((thrown: unknown) => report(new Error(`${name} could not be listed again: ${errorMessage(thrown)}`)));
  }

  /** Every server of the configuration. */
  async servers(): Promise<ServerStatus[]> {
    await this.#load();
    return [...this.#configs].map(([name, config]) => {
      const server = this.#servers.get(name);
      return {
        name,
        state: server?.state ?? 'resting',
        why: server?.why ?? '',
        disabled: config.disabled === true,
        trusted: config.trusted === true,
        client: server?.connected,
        listed: this.#catalogue.server(name),
      };
    });
  }

  /** The client of a server, which is started where it does not run. */
  async connect(name: string, signal?: AbortSignal): Promise<McpClient> {
    return this.#server(name).client(signal);
  }

  #server(name: string): ManagedServer {
    const server = this.#servers.get(name);
    if (!server) throw new HostError('no-such-server', `there is no server ${JSON.stringify(name)}; there are ${[...this.#servers.keys()].join(', ') || 'none'}`);
    return server;
  }

  /** Tools of all servers. A server that was never listed is started once for it; one that cannot be started is left out and reported. */
  async tools(): Promise<readonly CatalogueTool[]> {
    await this.#listed();
    return this.#catalogue.tools();
  }

  /** The tools that fit a request in words, best first. Schemas of all others need not be sent to a model. */
  async findTools(query: string, limit: number = 10): Promise<CatalogueTool[]> {
    await this.#listed();
    return this.#catalogue.find(query, limit);
  }

  /** What the catalogue keeps of all servers. */
  async catalogue(): Promise<Pick<Catalogue, 'tools' | 'prompts' | 'resources' | 'templates' | 'tool'>> {
    await this.#listed();
    return this.#catalogue;
  }

  #load(): Promise<void> {
    return this.#loaded ??= (async () => {
      await this.#catalogue.load([...this.#servers.keys()]);
      const grants = await this.#store.get('grants');
      this.#approvals = new Approvals(this.#options.now ?? Date.now, this.#limits.approvalMs, Array.isArray(grants) ? grants as Grant[] : []);
    })();
  }

  /** Lists what was never listed: all servers, or the one that a name such as `server/tool` is of. */
  async #listed(name: string = ''): Promise<void> {
    await this.#load();
    const server = name.slice(0, name.indexOf('/'));
    await Promise.all((this.#servers.has(server) ? [server] : [...this.#servers.keys()])
      .filter((name) => this.#catalogue.server(name) === undefined)
      .map((name) => this.refresh(name).catch((thrown: unknown) => {
        this.#options.onError?.(thrown instanceof Error ? thrown : new Error(String(thrown)), name);
      })));
  }

  /** Lists a server again and compares with what was accepted. One listing a server at a time. */
  async refresh(name: string): Promise<void> {
    const server = this.#server(name);
    await this.#load();
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
    const client = await server.client();
    this.#listedOver.set(name, client);
    const has = client.capabilities;
    const [tools, prompts, resources, templates] = await Promise.all([
      has?.tools ? client.listTools({ fresh: true }) : [],
      has?.prompts ? client.listPrompts({ fresh: true }) : [],
      has?.resources ? client.listResources({ fresh: true }) : [],
      has?.resources ? client.listResourceTemplates({ fresh: true }) : [],
    ]);
    const before = this.#catalogue.server(name);
    const pins = { ...before?.tools };
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
    await this.#catalogue.keep(name, {
      tools: pins, prompts, resources, templates, listedAt: (this.#options.now ?? Date.now)(),
    });
    const told = before === undefined ? changes.filter(({ kind }) => kind !== 'new') : changes;
    for (const { kind, name: tool, formerly, diff } of told) {
      void this.#log.record('pin', { server: name, tool, change: kind, ...formerly !== undefined && { formerly }, diff });
    }
    if (changes.length > 0) this.#options.onChanges?.(name, changes);
    this.#options.onListed?.(name);
  }

  /** The tools that are not what was accepted, and wait for a person. */
  pendingChanges(): readonly PinChange[] {
    return [...this.#waiting.values()];
  }

  /** Accepts a tool as it is now. Grants for what it was do not hold for it. */
  async acceptChange(change: PinChange, by: string = this.#principal): Promise<void> {
    const { server, name, digest, after } = change;
    const kept = this.#catalogue.server(server);
    const key = `${server}/${name}`;
    if (!kept || !after || digest === undefined || this.#waiting.get(key)?.digest !== digest) {
      throw new HostError('tool-changed', `${key} is not what was shown any more`);
    }
    this.#waiting.delete(key);
    await this.#catalogue.keep(server, { ...kept, tools: { ...kept.tools, [name]: { digest, tool: after } } });
    await this.#log.record('pin', { server, tool: name, change: 'accepted', digest, by });
  }

  /**
   * Calls a tool, by its name in the catalogue or as `server/tool`, once a rule or the person allowed it. Rejects with a
   * `HostError` `refused` where not. What was asked, decided, sent and answered is in the activity log.
   */
  async call(name: string, args: Readonly<Record<string, unknown>> = {}, options: HostCallOptions = {}): Promise<CallToolResult> {
    await this.#listed(name);
    const id = ++this.#calls;
    const entry = await this.#admitted(name, options.signal);
    const { server, tool } = entry;
    void this.#log.record('asked', { call: id, server, tool: tool.name, args, principal: this.#principal });
    await this.#current(server, options.signal);
    await this.#permit(id, name, args, options.signal);
    const client = await this.#server(server).client(options.signal);
    void this.#log.record('sent', { call: id, server, tool: tool.name });
    const began = performance.now();
    const took = (): number => Math.round(performance.now() - began);
    try {
      const { via = callTool, ...call } = options;
      const result = await via(client, tool.name, args, call);
      await this.#log.record('answered', { call: id, server, tool: tool.name, isError: result.isError === true, ms: took() });
      return result;
    } catch (thrown) {
      // Only the server's own word says that a call failed. Whatever else ended it, it may have been carried out.
      const certain = thrown instanceof RpcError;
      await this.#log.record(certain ? 'failed' : 'unknown', {
        call: id, server, tool: tool.name, ms: took(), why: errorMessage(thrown),
        ...thrown instanceof ConnectionError && { reason: thrown.reason },
        ...options.signal?.aborted && { reason: 'cancelled' },
      });
      throw thrown;
    }
  }

  /** Starts the server where it does not run, and lists it where that connection has not been listed yet. */
  async #current(name: string, signal: AbortSignal | undefined): Promise<void> {
    const client = await this.#server(name).client(signal);
    if (this.#listedOver.get(name) !== client) await this.refresh(name);
  }

  /** The catalogue's entry; a tool that changed is shown first. */
  async #admitted(name: string, signal: AbortSignal | undefined): Promise<CatalogueTool> {
    const slash = name.indexOf('/');
    const change = this.#waiting.get(name) ?? this.#changeOf(this.#catalogue.tool(name));
    if (change) {
      const { acceptChange } = this.#options.person ?? {};
      const context = { server: change.server, signal: signal ?? never() };
      const accepted = acceptChange ? await acceptChange.call(this.#options.person, change, context) : false;
      if (!accepted) {
        throw new HostError('tool-changed', `${change.server}/${change.name} was ${change.kind} since it was accepted:\n${change.diff.join('\n')}`);
      }
      await this.acceptChange(change);
    }
    const entry = this.#catalogue.tool(name);
    if (entry) return entry;
    if (slash > 0) this.#server(name.slice(0, slash));
    throw new HostError('no-such-tool', `no server has a tool ${JSON.stringify(name)}`);
  }

  #changeOf(entry: CatalogueTool | undefined): PinChange | undefined {
    return entry && this.#waiting.get(`${entry.server}/${entry.tool.name}`);
  }

  /** Resolves once the call is allowed; rejects with `refused` where it is not. */
  async #permit(id: number, name: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal | undefined): Promise<void> {
    let why: ApprovalRequest['why'] | undefined;
    for (let times = 0; times < this.#limits.maxAsks; times++) {
      const entry = await this.#admitted(name, signal);
      const { server, tool, digest } = entry;
      const shown: Shown = { server, tool: tool.name, digest, args, principal: this.#principal };
      const ruling = await this.#rule(entry, args);
      if (ruling.verdict === 'deny') return this.#refuse(id, server, tool, `rule ${ruling.at}`, 'a rule denies it');
      if (ruling.verdict === 'allow') return void this.#decided(id, server, tool, 'allowed', `rule ${ruling.at}`);
      if (this.#approvals.granted(shown)) return void this.#decided(id, server, tool, 'allowed', 'grant');
      why ??= ruling.at < 0 ? 'default' : 'rule';
      const { person } = this.#options;
      if (!person?.approve) return this.#refuse(id, server, tool, 'default', 'nobody can be asked for consent');
      const approval = await this.#approvals.approve(shown);
      const decision = await person.approve({ ...shown, tool, why }, { server, signal: signal ?? never() });
      const by = decision.by ?? this.#principal;
      if (decision.allow === false) return this.#refuse(id, server, tool, by, decision.reason ?? 'the person said no');
      // Shown and called may be minutes apart: what is called now must be what was shown.
      const now = this.#catalogue.tool(name);
      const same = now?.digest === digest && this.#changeOf(now) === undefined;
      if (await this.#approvals.spend(approval, shown) && same) {
        if (decision.allow !== 'once') await this.#grant(shown, decision.allow);
        return void this.#decided(id, server, tool, 'allowed', by, decision.allow);
      }
      why = same ? 'too-late' : 'changed-while-shown';
    }
    throw new HostError('tool-changed', `${name} was shown ${this.#limits.maxAsks} times, and changed or was approved too late each time`);
  }

  #rule({ server, tool }: CatalogueTool, args: Readonly<Record<string, unknown>>): Promise<Ruling> {
    const trusted = this.#configs.get(server)?.trusted === true;
    return rule(this.#options.rules ?? [], { server, trusted, tool, args }, this.#options.resolvePath);
  }

  async #grant(shown: Shown, reach: 'session' | 'always'): Promise<void> {
    const grant = this.#approvals.grant(shown);
    if (reach !== 'always') return;
    const kept = await this.#store.get('grants');
    await this.#store.set('grants', [...Array.isArray(kept) ? kept as unknown[] : [], grant]);
  }

  /** What was allowed for longer than one call. */
  async grants(): Promise<readonly Grant[]> {
    await this.#load();
    return this.#approvals.grants;
  }

  /** Takes grants back, in this session and for good. Returns how many. */
  async revoke(fits: (grant: Grant) => boolean): Promise<number> {
    await this.#load();
    const count = this.#approvals.revoke(fits);
    const kept = await this.#store.get('grants');
    if (Array.isArray(kept)) await this.#store.set('grants', (kept as Grant[]).filter((grant) => !fits(grant)));
    return count;
  }

  #decided(call: number, server: string, { name }: Tool, decision: string, by: string, reach?: string): void {
    void this.#log.record('decided', { call, server, tool: name, decision, by, ...reach !== undefined && { reach } });
  }

  async #refuse(call: number, server: string, { name }: Tool, by: string, why: string): Promise<never> {
    await this.#log.record('decided', { call, server, tool: name, decision: 'refused', by, why });
    throw new HostError('refused', `${server}/${name} was not called: ${why}`);
  }

  /** What a resource of a server holds now. */
  async readResource(server: string, uri: string, options?: HostCallOptions): Promise<ReadResourceResult> {
    return (await this.#server(server).client(options?.signal)).readResource(uri, options);
  }

  /** A server's prompt, with its arguments filled in. */
  async getPrompt(server: string, name: string, args?: Readonly<Record<string, string>>, options?: HostCallOptions): Promise<GetPromptResult> {
    return (await this.#server(server).client(options?.signal)).getPrompt(name, args, options);
  }

  /** Where a server may work from now on; a legacy server is told while it runs. */
  async setRoots(server: string, roots: readonly Root[]): Promise<void> {
    const managed = this.#server(server);
    this.#roots.set(server, roots);
    await this.#log.record('roots', { server, roots: roots.map(({ uri }) => uri) });
    managed.connected?.setRoots(() => this.#roots.get(server) ?? []);
  }

  /** Ends a server in order. It is started again when it is next needed. */
  async stop(server: string): Promise<void> {
    await this.#server(server).stop();
  }

  /** Resolves when all that was recorded is kept. */
  flushed(): Promise<void> {
    return this.#log.flushed();
  }

  /** Ends every server, each for itself. Never rejects. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#servers.values()].map((server) => server.close()));
    await this.#log.flushed();
  }
}

const callTool: NonNullable<HostCallOptions['via']> = (client, tool, args, options) => client.callTool(tool, args, options);

/** A signal that never fires, for who gave none. */
const never = (): AbortSignal => new AbortController().signal;
