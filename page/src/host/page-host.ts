import { defaultHostLimits, Host, memoryLog } from 'barewire/host';
import type { LogSink, ServerConfig, TransportHooks } from 'barewire/host';
import { appOf, appsExtension, showsApps } from 'barewire/apps';
import { explain } from 'barewire/explain';
import { tap } from 'barewire/tap';
import type { Held } from 'barewire/tap';
import { McpClient } from 'barewire/client';
import type { ClientOptions, ClientTransport } from 'barewire/client';
import type { Implementation } from 'barewire/protocol';
import { messagesVersion } from '../messages.ts';
import type { ActivityView, CatalogueView, HeldMessage, HoldView, LoginStep, LogView, News, QuestionView, ServerView, ToolView, Welcome, WireEntry } from '../messages.ts';
import { Calls } from './calls.ts';
import { exactNumbers } from './exact-numbers.ts';
import { failureOf, PageError } from './failure.ts';
import { defaultPageHostLimits } from './options.ts';
import type { Login, PageHostLimits, PageHostOptions } from './options.ts';
import { changeView, Questions } from './questions.ts';
import type { PressedCall } from './questions.ts';
import { Recordings } from './recordings.ts';
import { Gathered, Ring } from './ring.ts';
import type { SavedCalls } from './saved-calls.ts';
import { ServerEntry } from './server-entry.ts';
import type { Tasks } from './tasks.ts';
import { maxShown, parsed, WireLog } from './wire-log.ts';
import { declaredIn } from './wire-shape.ts';

/** The most entries of each long list in the welcome. */
const recent = 500;
/** The most tokens that a server may sample in all. It is high, because the person sees every request. */
const maxSampledTokens = 1_000_000;

/** The host behind the page: a `Host` of barewire, and the state that the page shows. It outlives the pages. */
export class PageHost {
  readonly options: PageHostOptions;
  readonly limits: PageHostLimits;
  readonly host: Host;
  readonly entries = new Map<string, ServerEntry>();
  readonly questions: Questions;
  readonly calls: Calls;
  readonly tasks: Tasks | undefined;
  readonly savedCalls: SavedCalls | undefined;
  readonly recordings: Recordings;
  readonly wire: WireLog;
  readonly exact = exactNumbers();
  /** Calls that the person started, by the signal that aborts them. */
  readonly pressed = new WeakMap<AbortSignal, PressedCall>();
  readonly logins = new Map<string, Login>();
  /** Names under which files are shown on the wire. */
  readonly opened = new Set<string>();
  readonly activity = new Ring<{ readonly line: string; readonly view: ActivityView }>(10_000);
  readonly logs = new Ring<LogView>(10_000);
  readonly #catalogues = new Map<string, CatalogueView>();
  readonly #steps = new Ring<LoginStep>(200);
  readonly #listeners = new Set<(text: string) => void>();
  readonly #changed = new Gathered<string>(30, (names) => this.#tellServers(names));
  readonly #heldChanged = new Gathered<string>(10, (names) => this.#tellHolds(names));
  readonly #passed = new Gathered<WireEntry>(50, (entries) => this.tell({ type: 'wire', entries, memory: this.wire.memory }));
  readonly #logged = new Gathered<LogView>(50, (entries) => this.tell({ type: 'logs', entries }));
  readonly #recorded = new Gathered<string>(100, (ids) => this.#tellRecordings(ids));
  #logCount = 0;

  constructor(options: PageHostOptions) {
    this.options = options;
    this.limits = { ...defaultPageHostLimits, ...options.limits };
    const { servers, store, rules, tools, resolvePath, model } = options;
    this.savedCalls = options.savedCalls;
    this.questions = new Questions({
      compile: options.compile,
      model,
      trusted: (server) => this.entries.get(server)?.config.trusted === true,
      pressed: (signal) => this.pressed.get(signal),
      until: (server, kind) => this.#until(server, kind),
      asking: (server) => this.calls.asking(server),
      onExact: (server, content, lexemes) => this.exact.answered(server, content, lexemes),
      onQuestion: (question) => this.tell({ type: 'question', question }),
      onClosed: (id, by) => this.tell({ type: 'question-closed', id, by }),
    });
    this.calls = new Calls((call) => {
      // Send the messages of a call before its end, so that the person can share the call at once.
      if (call.endedAt !== null) this.#passed.flush();
      this.tell({ type: 'call', call });
    });
    this.tasks = options.tasks?.((task) => this.tell({ type: 'task', task }), (key) => this.tell({ type: 'task-removed', key }));
    this.recordings = new Recordings(({ id }) => this.#recorded.add(id));
    this.wire = new WireLog({
      maxEntries: this.limits.maxWireEntries, maxBytes: this.limits.maxWireBytes,
      onEntry: (entry, text) => this.#entered(entry, text),
      explainHttp: options.explainHttp ?? (() => ({ what: '', section: '' })),
    });
    for (const [name, config] of Object.entries(servers)) this.#enter(name, config, 'configuration', 'auto');
    this.host = new Host({
      info: { name: 'barewire-page', title: 'barewire', version: options.version },
      servers: Object.fromEntries(Object.entries(servers).map(([name, config]) => [name, consenting(config)])),
      transport: (name, _config, hooks) => this.#open(name, hooks),
      client: (name, info, given) => this.#client(name, info, given),
      person: this.questions.person,
      model: this.questions.model,
      log: this.#sink(options.log ?? memoryLog()),
      ...store && { store },
      ...rules && { rules },
      ...tools && { tools },
      ...resolvePath && { resolvePath },
      onState: (name, state, why) => this.#moved(name, state, why ?? ''),
      onListed: (name) => void this.#listed(name).catch((thrown: unknown) => this.trouble(name, thrown)),
      onStderr: (name, line) => this.#log(name, { source: 'stderr', level: null, logger: null, data: line.slice(0, maxShown) }),
      onError: (error, name) => this.trouble(name ?? null, error),
    });
  }

  // ---- servers

  #enter(name: string, config: ServerConfig, source: ServerView['source'], era: ServerView['era']): ServerEntry {
    const entry = new ServerEntry(name, config, source, era, this.options.target?.(name));
    this.entries.set(name, entry);
    return entry;
  }

  entry(name: string): ServerEntry {
    const entry = this.entries.get(name);
    if (!entry) throw new PageError('no-such-server', `there is no server ${JSON.stringify(name)}`);
    return entry;
  }

  async add(name: string, config: ServerConfig, era: ServerView['era']): Promise<void> {
    await this.host.add(name, consenting(config));
    this.#enter(name, config, 'typed', era);
    this.changed(name);
  }

  async remove(name: string): Promise<void> {
    this.entry(name);
    await this.host.remove(name);
    this.entries.delete(name);
    this.#catalogues.delete(name);
    this.logins.delete(name);
    this.tell({ type: 'server-removed', name });
  }

  /** Schedules news with the new view of a server. */
  changed(name: string): void {
    this.#changed.add(name);
  }

  #view(entry: ServerEntry): ServerView {
    return entry.view(this.wire.inFlight(entry.name));
  }

  #tellServers(names: readonly string[]): void {
    for (const name of new Set(names)) {
      const entry = this.entries.get(name);
      if (entry) this.tell({ type: 'server', server: this.#view(entry) });
    }
  }

  #open(name: string, hooks: TransportHooks): ClientTransport {
    const entry = this.entry(name);
    const connection = ++entry.connection;
    const tapped = tap((trace) => this.options.open(name, entry.config, {
      trace, onStderr: hooks.onStderr, auth: this.logins.get(name)?.auth,
    }), {
      onPassed: (passed) => this.wire.add(name, connection, entry.client?.revision?.version, passed),
      onHeld: () => this.#heldChanged.add(name),
    });
    tapped.hold(entry.holds);
    entry.tap = tapped;
    this.wire.mark(name, connection, 'opened', '');
    return this.exact.around(name, tapped.transport);
  }

  #client(name: string, info: Implementation, given: ClientOptions): McpClient {
    const entry = this.entry(name);
    const { sent, received } = entry.holds;
    const make = this.options.client ?? ((who, options) => new McpClient(who, options));
    const client = make(info, {
      ...given,
      era: entry.era,
      // Apps, Client (Host) Capabilities: only a host with a screen declares that it shows apps.
      ...this.options.apps && { extensions: { ...given.extensions, [appsExtension]: showsApps } },
      // The page validates results itself, and shows those that do not match.
      validator: false,
      logLevel: entry.logLevel ?? undefined,
      onLog: ({ level, logger = null, data }) => this.#log(name, { source: 'protocol', level, logger, data }),
      onResourceUpdated: (uri) => this.tell({ type: 'resource-updated', server: name, uri, at: Date.now() }),
      // In step mode a held message delays the answer, so the probe must not time out.
      limits: { timeoutMs: this.limits.callTimeoutMs, ...(sent || received) && { probeTimeoutMs: 2_000_000_000 } },
    });
    entry.client = client;
    return client;
  }

  #moved(name: string, state: ServerView['state'], why: string): void {
    const entry = this.entries.get(name);
    if (!entry) return;
    const was = entry.state;
    entry.moved(state, why);
    if (was === 'ready' || (was === 'starting' && state !== 'ready')) this.wire.mark(name, entry.connection, 'closed', why);
    if (state === 'ready') {
      for (const uri of entry.subscriptions) entry.client?.subscribe(uri).catch((thrown: unknown) => this.trouble(name, thrown));
    }
    this.changed(name);
  }

  /** The deadline for an answer: of an approval, or of a legacy call without a sign of life. */
  #until(server: string, kind: QuestionView['kind']): number | null {
    if (kind === 'approval') return Date.now() + defaultHostLimits.approvalMs;
    const entry = this.entries.get(server);
    // In 2026-07-28 no request waits while the person is asked. In step mode the timeouts are paused.
    if (kind === 'change' || entry?.agreed?.era !== 'legacy' || entry.holds.sent || entry.holds.received) return null;
    const last = this.calls.lastSign(server);
    return last === undefined ? null : last + this.limits.callTimeoutMs;
  }

  // ---- the catalogue

  async #listed(name: string): Promise<void> {
    const entry = this.entries.get(name);
    const status = (await this.host.servers()).find((one) => one.name === name);
    if (!entry || !status?.listed) return;
    const { tools, prompts, resources, templates, listedAt } = status.listed;
    const changes = this.host.pendingChanges().filter(({ server }) => server === name);
    const toolView = (tool: ToolView['tool'], digest: string, pin: ToolView['pin'], change: (typeof changes)[number] | undefined): ToolView => ({
      tool, digest, pin, name: `${name}/${tool.name}`, change: change ? changeView(change) : null,
      app: appOf(tool) !== undefined,
    });
    const listedTools = Object.values(tools).map(({ tool, digest }) => {
      const change = changes.find((one) => one.name === tool.name);
      return toolView(tool, digest, change ? 'changed' : 'accepted', change);
    });
    for (const change of changes) {
      if (change.after && !Object.hasOwn(tools, change.name)) listedTools.push(toolView(change.after, change.digest ?? '', 'renamed', change));
    }
    const catalogue: CatalogueView = { server: name, tools: listedTools, prompts, resources, templates, listedAt, listing: ++entry.listing };
    this.#catalogues.set(name, catalogue);
    this.tell({ type: 'catalogue', catalogue });
  }

  /** A tool as it was last listed, with its accepted definition; a renamed one with its new definition. Throws if unknown. */
  tool(server: string, name: string): ToolView {
    const found = this.#catalogues.get(server)?.tools.find(({ tool }) => tool.name === name);
    if (!found) throw new PageError('no-such-tool', `${server} has no tool ${JSON.stringify(name)}`);
    return found;
  }

  listAgain(name: string): void {
    void this.#listed(name).catch((thrown: unknown) => this.trouble(name, thrown));
  }

  // ---- messages, logs, activity

  #entered(entry: WireEntry, text: string): void {
    const server = this.entries.get(entry.server);
    if (entry.kind === 'message') {
      this.calls.passed(entry);
      this.recordings.passed(entry, text);
      if (entry.shape !== 'notification') this.changed(entry.server);
      if (server && entry.shape === 'request' && entry.direction === 'sent' && entry.origin === 'peer' && server.declared?.connection !== entry.connection) {
        const capabilities = declaredIn(parsed(text));
        if (capabilities) server.declared = { connection: entry.connection, capabilities };
      }
    }
    if (entry.kind === 'http' && entry.status === 401 && server && server.login !== 'under-way') {
      server.login = 'needed';
      this.step({
        server: entry.server, at: entry.at, step: 'challenge', url: null, what: 'the server wants credentials (HTTP 401)',
        details: { 'www-authenticate': entry.headers['www-authenticate'] ?? '' },
      });
    }
    this.#passed.add(entry);
  }

  /** The held messages of a server. */
  holdView(entry: ServerEntry): HoldView {
    const revision = entry.client?.revision?.version;
    const one = ({ number, direction, at, text }: Held): HeldMessage => {
      const { what, section } = explain(parsed(text) ?? text, direction, revision);
      return {
        held: number, server: entry.name, direction, at, text: text.slice(0, maxShown), chars: text.length, whole: text.length <= maxShown,
        sentence: what, section,
      };
    };
    return { server: entry.name, ...entry.holds, waiting: (entry.tap?.held ?? []).slice(0, recent).map(one) };
  }

  holdChanged(name: string): void {
    this.#heldChanged.add(name);
  }

  #tellHolds(names: readonly string[]): void {
    for (const name of new Set(names)) {
      const entry = this.entries.get(name);
      if (entry) this.tell({ type: 'hold', hold: this.holdView(entry) });
    }
  }

  #tellRecordings(ids: readonly string[]): void {
    const changed = new Set(ids);
    for (const recording of this.recordings.views) if (changed.has(recording.id)) this.tell({ type: 'recording', recording });
  }

  #log(server: string, what: Omit<LogView, 'seq' | 'at' | 'server'>): void {
    const view: LogView = { ...what, seq: ++this.#logCount, at: Date.now(), server };
    this.logs.push(view);
    this.#logged.add(view);
  }

  #sink(inner: LogSink): LogSink {
    return {
      append: (write) => inner.append(async (head) => {
        const written = await write(head);
        const view = JSON.parse(written.line) as ActivityView;
        this.activity.push({ line: written.line, view });
        this.tell({ type: 'activity', entries: [view] });
        return written;
      }),
    };
  }

  step(step: LoginStep): void {
    this.#steps.push(step);
    this.tell({ type: 'login', step });
    this.changed(step.server);
  }

  /** Reports an error that belongs to no action. */
  trouble(server: string | null, thrown: unknown): void {
    this.tell({ type: 'trouble', server, message: failureOf(thrown).message, at: Date.now() });
  }

  // ---- pages

  tell(news: News): void {
    if (this.#listeners.size === 0) return;
    const text = JSON.stringify(news);
    for (const listener of this.#listeners) listener(text);
  }

  /** Sends the welcome to a page, then all news. `add`: the page can add servers. Returns a function that ends this. */
  listen(send: (text: string) => void, add: boolean): () => void {
    const { carrier, version, login, model, saving, importing } = this.options;
    const welcome: Welcome = {
      type: 'welcome', version: messagesVersion, carrier, barewire: version,
      features: { add, save: add && saving !== undefined, login: login !== undefined, model: model !== undefined, judge: this.options.judge !== undefined, imports: add ? importing?.applications ?? [] : [] },
      servers: [...this.entries.values()].map((entry) => this.#view(entry)),
      catalogues: [...this.#catalogues.values()],
      questions: this.questions.open,
      calls: this.calls.views,
      tasks: this.tasks?.views ?? [],
      saved: add ? this.#saved() : null,
      judgings: [...this.entries.values()].flatMap(({ judging }) => judging ?? []),
      holds: [...this.entries.values()].map((entry) => this.holdView(entry)),
      recordings: this.recordings.views,
      logins: this.#steps.last(),
      activity: this.activity.last(recent).map(({ view }) => view),
      logs: this.logs.last(recent),
      wire: this.wire.last(recent),
      memory: this.wire.memory,
    };
    send(JSON.stringify(welcome));
    this.#listeners.add(send);
    return () => this.#listeners.delete(send);
  }

  /** A file that cannot be read is reported as trouble; the page still gets its welcome. */
  #saved(): Welcome['saved'] {
    if (!this.savedCalls) return null;
    const { path } = this.savedCalls;
    try {
      return { path, calls: this.savedCalls.views };
    } catch (thrown) {
      setTimeout(() => this.trouble(null, thrown));
      return { path, calls: [] };
    }
  }

  /** Stops every server. Never rejects. */
  async close(): Promise<void> {
    await this.host.close();
    for (const gathered of [this.#changed, this.#heldChanged, this.#passed, this.#logged, this.#recorded]) gathered.flush();
  }
}

/** Allows a server to request sampling: the person sees every request. */
const consenting = (config: ServerConfig): ServerConfig => ({ maxSampledTokens, ...config });
