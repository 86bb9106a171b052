import type { CallOptions, McpClient } from '../client/index.ts';
import { ConnectionError, errorMessage, RpcError } from '../jsonrpc/errors.ts';
import type { CallToolResult, Tool } from '../protocol/tools.ts';
import type { ActivityLog } from './activity-log.ts';
import { Approvals } from './approvals.ts';
import type { Grant, Shown } from './approvals.ts';
import type { Catalogue, CatalogueTool } from './catalogue.ts';
import { HostError } from './errors.ts';
import type { Listings } from './listings.ts';
import type { ApprovalRequest, Person } from './person.ts';
import { rule } from './rules.ts';
import type { ResolvePath, Rule, Ruling } from './rules.ts';
import type { HostStore } from './store.ts';

/** What a call may be given. */
export interface HostCallOptions extends Pick<CallOptions, 'signal' | 'onProgress' | 'timeoutMs'> {
  /** How a tool is called once that is allowed, such as by `startTool` of barewire/tasks. Default: `callTool` of the client. */
  readonly via?: (client: McpClient, tool: string, args: Readonly<Record<string, unknown>>, options: CallOptions) => Promise<CallToolResult>;
}

/** Bounds on consent. */
export interface ConsentLimits {
  /** How long what was shown to a person may be approved, in milliseconds; after that it is shown again. 5 minutes. */
  readonly approvalMs: number;
  /** How often a call is shown because its tool changed meanwhile, or because the answer came too late. 3. */
  readonly maxAsks: number;
}

/** What calls need of the host. */
export interface ToolCallsOptions {
  readonly catalogue: Catalogue;
  readonly listings: Listings;
  readonly log: ActivityLog;
  readonly store: HostStore;
  readonly limits: ConsentLimits;
  readonly principal: string;
  readonly now: () => number;
  readonly rules?: readonly Rule[] | undefined;
  readonly person?: Person | undefined;
  readonly resolvePath?: ResolvePath | undefined;
  /** Whether the annotations of this server may be believed. */
  readonly trusted: (server: string) => boolean;
  readonly client: (server: string, signal: AbortSignal | undefined) => Promise<McpClient>;
  /** Throws where a name such as `server/tool` names no server. */
  readonly named: (name: string) => void;
}

/** Calls of tools: each is allowed by a rule, by what a person allowed before, or by the person now; each is recorded. */
export class ToolCalls {
  readonly #options: ToolCallsOptions;
  #approvals: Approvals;
  #count = 0;

  constructor(options: ToolCallsOptions) {
    this.#options = options;
    this.#approvals = new Approvals(options.now, options.limits.approvalMs);
  }

  /** Reads what was allowed for good. */
  async load(): Promise<void> {
    const { store, now, limits } = this.#options;
    const grants = await store.get('grants');
    this.#approvals = new Approvals(now, limits.approvalMs, Array.isArray(grants) ? grants as Grant[] : []);
  }

  /**
   * Calls a tool, by its name in the catalogue or as `server/tool`, once a rule or the person allowed it. Rejects with a
   * `HostError` `refused` where not. What was asked, decided, sent and answered is in the activity log.
   */
  async call(name: string, args: Readonly<Record<string, unknown>> = {}, options: HostCallOptions = {}): Promise<CallToolResult> {
    const { log, listings, principal } = this.#options;
    const id = ++this.#count;
    const entry = await this.#admitted(name, options.signal);
    const { server, tool } = entry;
    void log.record('asked', { call: id, server, tool: tool.name, args, principal: principal });
    await listings.current(server, options.signal);
    await this.#permit(id, name, args, options.signal);
    const client = await this.#options.client(server, options.signal);
    void log.record('sent', { call: id, server, tool: tool.name });
    const began = performance.now();
    const took = (): number => Math.round(performance.now() - began);
    try {
      const { via = callTool, ...call } = options;
      const result = await via(client, tool.name, args, call);
      await log.record('answered', { call: id, server, tool: tool.name, isError: result.isError === true, ms: took() });
      return result;
    } catch (thrown) {
      // Only the server's own word says that a call failed. Whatever else ended it, it may have been carried out.
      const certain = thrown instanceof RpcError;
      await log.record(certain ? 'failed' : 'unknown', {
        call: id, server, tool: tool.name, ms: took(), why: errorMessage(thrown),
        ...thrown instanceof ConnectionError && { reason: thrown.reason },
        ...options.signal?.aborted && { reason: 'cancelled' },
      });
      throw thrown;
    }
  }

  /** The catalogue's entry; a tool that changed is shown first. */
  async #admitted(name: string, signal: AbortSignal | undefined): Promise<CatalogueTool> {
    const { catalogue, listings, person } = this.#options;
    const change = listings.changeOf(name) ?? listings.changeOf(catalogue.tool(name));
    if (change) {
      const { acceptChange } = person ?? {};
      const context = { server: change.server, signal: signal ?? never() };
      const accepted = acceptChange ? await acceptChange.call(person, change, context) : false;
      if (!accepted) {
        throw new HostError('tool-changed', `${change.server}/${change.name} was ${change.kind} since it was accepted:\n${change.diff.join('\n')}`);
      }
      await listings.accept(change);
    }
    const entry = catalogue.tool(name);
    if (entry) return entry;
    this.#options.named(name);
    throw new HostError('no-such-tool', `no server has a tool ${JSON.stringify(name)}`);
  }

  /** Resolves once the call is allowed; rejects with `refused` where it is not. */
  async #permit(id: number, name: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal | undefined): Promise<void> {
    const { catalogue, limits, listings, person, principal } = this.#options;
    let why: ApprovalRequest['why'] | undefined;
    for (let times = 0; times < limits.maxAsks; times++) {
      const entry = await this.#admitted(name, signal);
      const { server, tool, digest } = entry;
      const shown: Shown = { server, tool: tool.name, digest, args, principal: principal };
      const ruling = await this.#rule(entry, args);
      if (ruling.verdict === 'deny') return this.#refuse(id, server, tool, `rule ${ruling.at}`, 'a rule denies it');
      if (ruling.verdict === 'allow') return void this.#decided(id, server, tool, 'allowed', `rule ${ruling.at}`);
      if (this.#approvals.granted(shown)) return void this.#decided(id, server, tool, 'allowed', 'grant');
      why ??= ruling.at < 0 ? 'default' : 'rule';
      if (!person?.approve) return this.#refuse(id, server, tool, 'default', 'nobody can be asked for consent');
      const approval = await this.#approvals.approve(shown);
      const decision = await person.approve({ ...shown, tool, why }, { server, signal: signal ?? never() });
      const by = decision.by ?? principal;
      if (decision.allow === false) return this.#refuse(id, server, tool, by, decision.reason ?? 'the person said no');
      // Shown and called may be minutes apart: what is called now must be what was shown.
      const now = catalogue.tool(name);
      const same = now?.digest === digest && listings.changeOf(now) === undefined;
      if (await this.#approvals.spend(approval, shown) && same) {
        if (decision.allow !== 'once') await this.#grant(shown, decision.allow);
        return void this.#decided(id, server, tool, 'allowed', by, decision.allow);
      }
      why = same ? 'too-late' : 'changed-while-shown';
    }
    throw new HostError('tool-changed', `${name} was shown ${limits.maxAsks} times, and changed or was approved too late each time`);
  }

  #rule({ server, tool }: CatalogueTool, args: Readonly<Record<string, unknown>>): Promise<Ruling> {
    const { rules = [], resolvePath, trusted } = this.#options;
    return rule(rules, { server, trusted: trusted(server), tool, args }, resolvePath);
  }

  async #grant(shown: Shown, reach: 'session' | 'always'): Promise<void> {
    const grant = this.#approvals.grant(shown);
    if (reach !== 'always') return;
    const { store } = this.#options;
    const kept = await store.get('grants');
    await store.set('grants', [...Array.isArray(kept) ? kept as unknown[] : [], grant]);
  }

  /** What was allowed for longer than one call. */
  get grants(): readonly Grant[] {
    return this.#approvals.grants;
  }

  /** Takes grants back, in this session and for good. Returns how many. */
  async revoke(fits: (grant: Grant) => boolean): Promise<number> {
    const { store } = this.#options;
    const count = this.#approvals.revoke(fits);
    const kept = await store.get('grants');
    if (Array.isArray(kept)) await store.set('grants', (kept as Grant[]).filter((grant) => !fits(grant)));
    return count;
  }

  #decided(call: number, server: string, { name }: Tool, decision: string, by: string, reach?: string): void {
    void this.#options.log.record('decided', { call, server, tool: name, decision, by, ...reach !== undefined && { reach } });
  }

  async #refuse(call: number, server: string, { name }: Tool, by: string, why: string): Promise<never> {
    await this.#options.log.record('decided', { call, server, tool: name, decision: 'refused', by, why });
    throw new HostError('refused', `${server}/${name} was not called: ${why}`);
  }
}

const callTool: NonNullable<HostCallOptions['via']> = (client, tool, args, options) => client.callTool(tool, args, options);

/** A signal that never fires, for who gave none. */
const never = (): AbortSignal => new AbortController().signal;
