import { systemClock } from '../bounds/clock.ts';
import { checkOptions } from '../bounds/options.ts';
import { McpClient } from '../client/index.ts';
import type { CallOptions } from '../client/index.ts';
import type { CallToolResult, GetPromptResult, ReadResourceResult, Root, Tool } from '../protocol/index.ts';
import { compile } from '../schema/index.ts';
import { ActivityLog, memoryLog } from './activity-log.ts';
import type { Grant } from './approvals.ts';
import { whyNotOffered } from './availability.ts';
import { Catalogue } from './catalogue.ts';
import type { CatalogueTool } from './catalogue.ts';
import { checkConfig, isProgram } from './config.ts';
import type { ServerConfig } from './config.ts';
import { HostError } from './errors.ts';
import { Listings } from './listings.ts';
import { ManagedServer } from './managed-server.ts';
import type { ServerState } from './managed-server.ts';
import { checkHostOptions, defaultHostLimits } from './options.ts';
import type { HostLimits, HostOptions } from './options.ts';
import type { PinChange, PinnedServer } from './pins.ts';
import { ServerQuestions } from './questions.ts';
import type { CallOrigin } from './rules.ts';
import type { HostSkill, HostSkills, LoadedSkill, SkillGrant } from './skills.ts';
import { memoryStore } from './store.ts';
import { hostApp, hostCallShape, ToolCalls } from './tool-calls.ts';
import type { HostApp, HostCallOptions } from './tool-calls.ts';

/** A server's status for display. */
export interface ServerStatus {
  readonly name: string;
  readonly state: ServerState;
  /** Why it is down or broken. */
  readonly why: string;
  readonly disabled: boolean;
  readonly trusted: boolean;
  /** Undefined while it is not connected. */
  readonly client: McpClient | undefined;
  /** Its lists, without the tools that are not offered. Undefined if it was never listed. */
  readonly listed: PinnedServer | undefined;
  /** The names of its tools that are not offered. */
  readonly hidden: readonly string[];
}

/**
 * Hosts many servers: the host of the specification's architecture (2025-11-25 architecture#core-components). It
 * starts servers when they are needed, shows one catalogue of all, and runs only calls that a rule or a person
 * allowed. It owns no process, file or screen: the application passes transports, store, log and person.
 */
export class Host {
  readonly #options: HostOptions;
  readonly #limits: HostLimits;
  readonly #log: ActivityLog;
  readonly #catalogue: Catalogue;
  readonly #configs: Map<string, ServerConfig>;
  readonly #servers = new Map<string, ManagedServer>();
  readonly #roots = new Map<string, readonly Root[]>();
  readonly #listings: Listings;
  readonly #calls: ToolCalls;
  readonly #held: HostSkills | undefined;
  #loaded: Promise<void> | undefined;

  /** Throws a TypeError for an unknown or malformed option, rule or entry. */
  constructor(options: HostOptions) {
    checkHostOptions(options);
    const { clock = systemClock, store = memoryStore(), log = memoryLog(), principal = 'user' } = options;
    this.#options = options;
    this.#limits = { ...defaultHostLimits, ...options.limits };
    this.#log = new ActivityLog(log, () => clock.now(), (error) => options.onError?.(error));
    const identity = (server: string): string => {
      const { folder } = this.#configs.get(server) ?? {};
      return folder === undefined ? server : `${folder}#${server}`;
    };
    const whyHidden = (server: string, tool: Tool, origin?: CallOrigin): string | undefined => {
      const { trusted, tools } = this.#configs.get(server) ?? {};
      return whyNotOffered({ server, identity: identity(server), trusted: trusted === true, own: tools, all: options.tools, rules: options.rules ?? [] }, tool, origin);
    };
    // Apps, Visibility: a change that hides a tool from models counts at once, not only after a person has accepted it.
    const hides = (server: string, tool: string): boolean => {
      const { after } = this.#listings.changeOf(server, tool) ?? {};
      return after !== undefined && whyHidden(server, after) === 'visibility';
    };
    this.#catalogue = new Catalogue(store, identity, (server, tool) => whyHidden(server, tool) === undefined, hides);
    this.#configs = new Map(Object.entries(options.servers));
    const common = { catalogue: this.#catalogue, log: this.#log, clock, principal };
    this.#listings = new Listings({
      ...common,
      server: (name) => this.#server(name),
      loaded: () => this.#load(),
      onChanges: options.onChanges && ((server, changes) => {
        const shown = changes.filter((change) => this.#shows(change));
        if (shown.length > 0) options.onChanges?.(server, shown);
      }),
      onListed: options.onListed,
      onError: options.onError,
      limits: this.#limits,
    });
    this.#calls = new ToolCalls({
      ...common, store,
      listings: this.#listings,
      limits: this.#limits,
      rules: options.rules, person: options.person, resolvePath: options.resolvePath && ((path, server) => this.#resolve(path, server)),
      trusted: (server) => this.#configs.get(server)?.trusted === true,
      identity,
      whyNotOffered: whyHidden,
      allow: (server, tool, current) => this.#server(server).allow(tool, current),
      named: (name) => name.includes('/') && this.#server(name.slice(0, name.indexOf('/'))),
    });
    this.#held = options.skills?.({
      log: this.#log, store, principal, now: () => clock.now(), identity,
      person: options.person,
      client: (server, signal) => this.#server(server).client(signal),
      onError: options.onError,
    });
    for (const [name, config] of this.#configs) this.#enter(name, config);
  }

  /** The real place of a server's path: a relative path starts in the folder where its program runs. */
  async #resolve(path: string, server: string): Promise<string | undefined> {
    const config = this.#configs.get(server);
    if (!config || /^(?:\/|[a-z]:)/i.test(path)) return this.#options.resolvePath?.(path, server);
    // The folder of a server at an address is unknown.
    if (!isProgram(config)) return undefined;
    return this.#options.resolvePath?.(config.cwd === undefined ? path : `${config.cwd}/${path}`, server);
  }

  #enter(name: string, config: ServerConfig): void {
    if (config.disabled) return;
    this.#roots.set(name, config.roots ?? []);
    this.#servers.set(name, this.#manage(name, config));
  }

  /**
   * Adds a server, which is started when it is first needed. Throws a `HostError` `ambiguous-name` if the name is
   * taken.
   */
  async add(name: string, config: ServerConfig): Promise<void> {
    checkConfig(`Host.add: ${name.slice(0, 80)}`, config);
    if (this.#configs.has(name)) throw new HostError('ambiguous-name', `there is a server ${JSON.stringify(name)} already`);
    this.#configs.set(name, config);
    await this.#load();
    await this.#catalogue.load([name]);
    this.#enter(name, config);
  }

  /** Ends a server and removes it; its pins and grants stay for the time when it is added again. */
  async remove(name: string): Promise<void> {
    const server = this.#servers.get(name);
    if (!this.#configs.delete(name)) throw new HostError('no-such-server', `there is no server ${JSON.stringify(name)}`);
    this.#servers.delete(name);
    this.#roots.delete(name);
    this.#listings.forget(name);
    this.#held?.forget(name);
    this.#catalogue.leave(name);
    await server?.close();
  }

  /** Sets whether to trust the server's annotations from now on. */
  trust(name: string, trusted: boolean): void {
    const config = this.#configs.get(name);
    if (!config) throw new HostError('no-such-server', `there is no server ${JSON.stringify(name)}`);
    this.#configs.set(name, { ...config, trusted });
    // A rule that allows by annotations may now fit, or no longer fit, before a rule that denies.
    this.#catalogue.changed();
  }

  #manage(name: string, config: ServerConfig): ManagedServer {
    const options = this.#options;
    const { clock = systemClock } = options;
    const questions = new ServerQuestions(name, options.person ?? {}, this.#log, options.model, config.maxSampledTokens ?? 0);
    const report = (error: Error): void => options.onError?.(error, name);
    return new ManagedServer({
      name,
      info: options.info,
      limits: this.#limits,
      clock,
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
        // If a server is gone before it answers a call, the log records the result as unknown: nothing may repeat
        // it.
        validator: compile,
        clock,
        onError: report,
        onElicit: (question, { signal }) => questions.elicit(question, signal),
        onElicitUrl: (question, { signal }) => questions.elicitUrl(question, signal),
        ...options.model && (config.maxSampledTokens ?? 0) > 0
          && { onSample: (params, { signal }) => questions.sample(params, signal) },
        roots: () => this.#roots.get(name) ?? [],
        onListChanged: (list) => this.#listings.announced(name, list),
      },
    });
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
        ...this.#catalogue.offeredBy(name),
      };
    });
  }

  /** The client of a server. Starts the server if it does not run. */
  async connect(name: string, signal?: AbortSignal): Promise<McpClient> {
    return this.#server(name).client(signal);
  }

  #server(name: string): ManagedServer {
    const server = this.#servers.get(name);
    if (!server) throw new HostError('no-such-server', `there is no server ${JSON.stringify(name)}; there are ${[...this.#servers.keys()].join(', ') || 'none'}`);
    return server;
  }

  /**
   * The tools of all servers. A server that was never listed is started once for this; one that cannot be started is
   * left out and reported.
   */
  async tools(): Promise<readonly CatalogueTool[]> {
    await this.#listed();
    return this.#catalogue.tools();
  }

  /** The catalogue of all servers. */
  async catalogue(): Promise<Pick<Catalogue, 'tools' | 'prompts' | 'resources' | 'templates' | 'tool'>> {
    await this.#listed();
    return this.#catalogue;
  }

  #load(): Promise<void> {
    return this.#loaded ??= (async () => {
      try {
        await this.#catalogue.load([...this.#servers.keys()]);
        await this.#calls.load();
      } catch (thrown) {
        // The next call tries again.
        this.#loaded = undefined;
        throw thrown;
      }
    })();
  }

  /** Lists the servers that were never listed and may be started now. */
  async #listed(servers: readonly string[] = [...this.#servers.keys()]): Promise<void> {
    await this.#load();
    await this.#listings.missing(servers);
  }

  /** Lists a server again and compares the result with the accepted definitions. One listing of a server runs at a time. */
  refresh(name: string): Promise<void> {
    return this.#listings.refresh(name);
  }

  /** The tools that differ from their accepted definitions and wait for a person; without those that are not offered. */
  pendingChanges(): readonly PinChange[] {
    return this.#listings.pending().filter((change) => this.#shows(change));
  }

  /** Whether a tool is offered as it was accepted, or will be in its new form. */
  #shows({ server, before, after }: PinChange): boolean {
    return [before, after].some((tool) => tool && this.#catalogue.offers(server, tool));
  }

  /** Accepts the current definition of a tool. Grants for the old definition do not apply to it. */
  acceptChange(change: PinChange, by?: string): Promise<void> {
    return this.#listings.accept(change, by);
  }

  /**
   * Calls a tool, by its name in the catalogue or as `server/tool`, after a rule or the person allowed it. Otherwise
   * rejects with a `HostError` `refused`. The activity log records the request, the decision, the sending and the
   * answer.
   */
  async call(name: string, args: Readonly<Record<string, unknown>> = {}, options: HostCallOptions = {}): Promise<CallToolResult> {
    checkOptions('Host.call: options', options, hostCallShape);
    await this.#load();
    // Start no other server for a known tool, or for a name that contains its server.
    if (!this.#catalogue.tool(name)) {
      const [one, ...others] = [...this.#servers.keys()].filter((server) => name.startsWith(`${server}/`));
      if (one === undefined || others.length > 0) await this.#listed(one === undefined ? undefined : [one, ...others]);
      else if (!this.#catalogue.server(one)) await this.refresh(one);
    }
    return this.#calls.call(name, args, options);
  }

  /**
   * Acts for an app of a server (barewire/apps), which is shown to the person. Its calls need rules, grants or the person like others, with
   * the origin `app`. They reach only tools of this server that are visible to apps, including tools hidden from the model. The activity
   * log records its reads.
   */
  app(server: string): HostApp {
    this.#server(server);
    return hostApp({
      call: async (name, args, options) => {
        await this.#listed([server]);
        return this.#calls.call(name, args, options, server);
      },
      read: (uri, options) => this.readResource(server, uri, options),
      record: (uri) => this.#log.record('app', { server, uri }),
    });
  }

  /** The permissions for more than one call. */
  async grants(): Promise<readonly Grant[]> {
    await this.#load();
    return this.#calls.grants;
  }

  /** Revokes grants, both of this session and permanent ones. Returns their number. */
  async revoke(fits: (grant: Grant) => boolean): Promise<number> {
    await this.#load();
    return this.#calls.revoke(fits);
  }

  get #skills(): HostSkills {
    if (!this.#held) throw new HostError('refused', 'this host was made without `skills`: give it hostSkills of barewire/host');
    return this.#held;
  }

  /**
   * The skills that a server lists (SEP-2640); none if it does not declare the extension. An empty list proves nothing: `loadSkill` takes
   * any URI. Reads no file. Entries that break a rule are left out, and reported to `onError`.
   */
  async skills(server: string, options?: HostCallOptions): Promise<HostSkill[]> {
    return this.#skills.list(server, callOptions('skills', options));
  }

  /**
   * Loads a skill, after the person allowed it with exactly these files (`person.approveSkill`), and compares its `SKILL.md` with the
   * entry. Rejects with a `HostError` `refused`, or with a `SkillError`: then its content must not be used. A skill within another is
   * loaded, and approved, separately.
   */
  async loadSkill(server: string, uri: string, options?: HostCallOptions): Promise<LoadedSkill> {
    return this.#skills.load(server, uri, callOptions('loadSkill', options));
  }

  /** The skills in use: loaded and not closed. While there are any, tools of the application that run code ask a person. */
  get loadedSkills(): readonly LoadedSkill[] {
    return this.#held?.loaded ?? [];
  }

  /** The permissions to load a skill more than once. */
  async skillGrants(): Promise<readonly SkillGrant[]> {
    return this.#skills.grants();
  }

  /** Revokes permissions to load skills. Returns their number. */
  async revokeSkills(fits: (grant: SkillGrant) => boolean): Promise<number> {
    return this.#skills.revoke(fits);
  }

  /** Reads a resource of a server. It loads no skill, whatever the URI. */
  async readResource(server: string, uri: string, options?: HostCallOptions): Promise<ReadResourceResult> {
    const own = callOptions('readResource', options);
    return (await this.#server(server).client(own.signal)).readResource(uri, own);
  }

  /** A server's prompt with its arguments filled in. */
  async getPrompt(server: string, name: string, args?: Readonly<Record<string, string>>, options?: HostCallOptions): Promise<GetPromptResult> {
    const own = callOptions('getPrompt', options);
    return (await this.#server(server).client(own.signal)).getPrompt(name, args, own);
  }

  /** Sets the folders that a server may work in; a legacy server is notified while it runs. */
  async setRoots(server: string, roots: readonly Root[]): Promise<void> {
    const managed = this.#server(server);
    this.#roots.set(server, roots);
    await this.#log.record('roots', { server, roots: roots.map(({ uri }) => uri) });
    managed.connected?.setRoots(() => this.#roots.get(server) ?? []);
  }

  /** Shuts a server down. It is started again when it is next needed. */
  async stop(server: string): Promise<void> {
    await this.#server(server).stop();
  }

  /** Resolves when all recorded events are stored. */
  flushed(): Promise<void> {
    return this.#log.flushed();
  }

  /** Shuts every server down, independently of one another. Never rejects. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#servers.values()].map((server) => server.close()));
    await this.#log.flushed();
  }
}

/** The options of a call that a server's client accepts. */
function callOptions(what: string, options: HostCallOptions = {}): CallOptions {
  checkOptions(`Host.${what}: options`, options, hostCallShape);
  const { via, ...own } = options;
  return own;
}
