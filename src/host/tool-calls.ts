import type { Clock } from '../bounds/clock.ts';
import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';
import type { CallOptions, McpClient } from '../client/index.ts';
import { errorMessage, isObject } from '../jsonrpc/internal-exports.ts';
import { ConnectionError, RpcError } from '../jsonrpc/index.ts';
import { quote } from '../bounds/quote.ts';
import { weighValue } from '../bounds/weight.ts';
import type { CallToolResult, ReadResourceResult, Tool } from '../protocol/index.ts';
import type { ActivityLog } from './activity-log.ts';
import { Approvals } from './approvals.ts';
import type { Grant, Shown } from './approvals.ts';
import type { Catalogue, CatalogueTool } from './catalogue.ts';
import { HostError } from './errors.ts';
import { NotSent } from './unsent-calls.ts';
import type { Listings } from './listings.ts';
import type { ApprovalRequest, Person } from './person.ts';
import { rule } from './rules.ts';
import type { CallOrigin, ResolvePath, Rule, Ruling } from './rules.ts';
import { updateValue } from './store.ts';
import type { HostStore } from './store.ts';

/** The options of a call. */
export interface HostCallOptions extends Pick<CallOptions, 'signal' | 'onProgress' | 'timeoutMs'> {
  /**
   * Consent that the application got before the call, for example because the person pressed a button next to exactly this tool (`digest`):
   * the name of the person, for the activity log. Undefined: the person is asked. A rule that says `ask` or `deny` takes precedence.
   */
  readonly consented?: (tool: Tool, digest: string) => string | undefined;
  /** The function that calls an allowed tool, such as `startTool` of barewire/tasks. Default: `callTool` of the client. */
  readonly via?: (client: McpClient, tool: string, args: Readonly<Record<string, unknown>>, options: CallOptions) => Promise<CallToolResult>;
}

// For `checkOptions`.
export const hostCallShape: Shape<HostCallOptions> = { consented: 'function', via: 'function', signal: 'object', timeoutMs: 0, onProgress: 'function' };

/** Limits of consent. */
export interface ConsentLimits {
  /** How long a person may take to approve a shown call, in milliseconds; after that it is shown again. 5 minutes. */
  readonly approvalMs: number;
  /** How often a call is shown if its tool changes meanwhile, or the answer comes too late. 3. */
  readonly maxAsks: number;
}

/** The parts of the host that `ToolCalls` needs. */
export interface ToolCallsOptions {
  readonly catalogue: Catalogue;
  readonly listings: Listings;
  readonly log: ActivityLog;
  readonly store: HostStore;
  readonly limits: ConsentLimits;
  readonly principal: string;
  readonly clock: Clock;
  readonly rules?: readonly Rule[] | undefined;
  readonly person?: Person | undefined;
  readonly resolvePath?: ResolvePath | undefined;
  /** Whether to trust the annotations of this server. */
  readonly trusted: (server: string) => boolean;
  /** The name under which the grants for a server are stored. */
  readonly identity: (server: string) => string;
  /** The reason why a tool is not offered, for the activity log; undefined: it is offered. */
  readonly whyNotOffered: (server: string, tool: Tool, origin?: CallOrigin) => string | undefined;
  /** See `Gate.allow`. */
  readonly allow: (server: string, tool: string, current: () => boolean) => () => void;
  /** Throws if a name such as `server/tool` contains no known server. */
  readonly named: (name: string) => void;
}

/** One call in progress. */
interface PendingCall {
  readonly id: number;
  readonly server: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** `origin` if an app asked for the call: for the log, the rules, the person and grants. */
  readonly app: { readonly origin?: 'app' };
  readonly signal: AbortSignal | undefined;
  readonly consented: HostCallOptions['consented'];
  /** How often the person was asked. */
  shown: number;
  /** The reason to ask the person again. */
  why: ApprovalRequest['why'] | undefined;
  /** The earliest listing that is recent enough for the call; see `Listings.next`. */
  listing: number;
}

/** The deepest nesting of arguments, since comparing, showing and hashing them is recursive. */
const maxArgumentDepth = 200;

/** How often an unsent call is tried again, because its connection or its tool was new. */
const maxUnsent = 3;

/** Calls tools: a rule, an earlier grant or the person must allow each call; each is recorded. */
export class ToolCalls {
  readonly #options: ToolCallsOptions;
  #approvals: Approvals;
  #keeping: Promise<void> = Promise.resolve();
  #count = 0;

  constructor(options: ToolCallsOptions) {
    this.#options = options;
    this.#approvals = new Approvals(options.clock, options.limits.approvalMs);
  }

  /** Reads the permanent grants. */
  async load(): Promise<void> {
    const { store, clock, limits } = this.#options;
    this.#approvals = new Approvals(clock, limits.approvalMs, grantsOf(await store.get('grants')));
  }

  /** See `Host.call`. With `from`, the server of an app, see `Host.app`: `name` is then the tool's own name at that server. */
  async call(name: string, args: Readonly<Record<string, unknown>> = {}, options: HostCallOptions = {}, from?: string): Promise<CallToolResult> {
    const { log, listings, principal, limits } = this.#options;
    const { signal, consented, ...rest } = options;
    const app = from === undefined ? {} : { origin: 'app' } as const;
    const { server, tool, hiddenBy } = from === undefined ? this.#named(name) : this.#ofApp(from, name);
    const weight = weighValue(args, { maxDepth: maxArgumentDepth });
    if (typeof weight === 'object') throw new HostError('refused', `${server}/${tool} was not called: its arguments exceed ${weight.over}`);
    // A copy, so that later changes by the application cannot make the sent arguments differ from the shown ones.
    const asked: PendingCall = { id: ++this.#count, server, tool, args: structuredClone(args), app, signal, consented, shown: 0, why: undefined, listing: 0 };
    void log.record('asked', { call: asked.id, server, tool, args: asked.args, principal, ...app });
    if (hiddenBy !== undefined) {
      // The caller gets the same error as for an unknown name; the log says more.
      await log.record('decided', { call: asked.id, server, tool, decision: 'refused', by: hiddenBy, why: 'a filter hides it' });
      throw noSuchTool(name);
    }
    let approved: string | undefined;
    for (let times = 0; times < limits.maxAsks + maxUnsent; times++) {
      await listings.current(server, signal);
      const entry = await this.#admitted(server, tool, signal);
      // A change that was accepted just now may have hidden the tool from the caller.
      const hidden = this.#options.whyNotOffered(server, entry.tool, app.origin);
      if (hidden !== undefined) await this.#refuse(asked.id, server, entry.tool, hidden, 'a filter hides it');
      if (entry.digest !== approved) approved = await this.#permit(asked, entry);
      // The approval may be older than the connection: the server's list over this connection must match the approved definition.
      const client = approved === undefined ? undefined : await listings.current(server, signal, asked.listing);
      if (!client || !this.#isStill(server, tool, approved)) {
        asked.why ??= 'changed-while-shown';
        continue;
      }
      const end = this.#options.allow(server, tool, () => this.#isStill(server, tool, approved) && listings.isCurrent(server));
      try {
        return await this.#send(asked, client, { signal, ...rest });
      } catch (thrown) {
        if (!(thrown instanceof NotSent)) throw thrown;
      } finally {
        end();
      }
    }
    throw new HostError('tool-changed', `${server}/${tool} was shown ${asked.shown} times, and changed or was approved too late each time`);
  }

  /** Whether a tool is pinned with this digest, and no change of it waits. */
  #isStill(server: string, tool: string, digest: string | undefined): boolean {
    const { catalogue, listings } = this.#options;
    return catalogue.pin(server, tool)?.digest === digest && listings.changeOf(server, tool) === undefined;
  }

  async #send({ id: call, server, tool, args, signal }: PendingCall, client: McpClient, { via = callTool, ...options }: HostCallOptions): Promise<CallToolResult> {
    const { log } = this.#options;
    void log.record('sent', { call, server, tool });
    const { clock } = this.#options;
    const began = clock.monotonic();
    const took = (): number => Math.round(clock.monotonic() - began);
    try {
      const result = await via(client, tool, args, options);
      await log.record('answered', { call, server, tool, isError: result.isError === true, ms: took() });
      return result;
    } catch (thrown) {
      // Only an error from the server proves that a call failed, and only the gate knows that it was not sent. After
      // any other error the call may have been carried out.
      const certain = thrown instanceof RpcError || thrown instanceof NotSent;
      await log.record(certain ? 'failed' : 'unknown', {
        call, server, tool, ms: took(), why: errorMessage(thrown),
        ...thrown instanceof ConnectionError && { reason: thrown.reason },
        ...signal?.aborted && { reason: 'cancelled' },
      });
      throw thrown;
    }
  }

  /** A tool of an app's server. `hiddenBy`: why it is not offered to apps. */
  #ofApp(server: string, name: string): { readonly server: string; readonly tool: string; readonly hiddenBy?: string | undefined } {
    const { catalogue, listings, whyNotOffered } = this.#options;
    const tool = listings.changeOf(server, name)?.after ?? catalogue.toolOf(server, name)?.tool;
    if (!tool) throw noSuchTool(name);
    return { server, tool: name, hiddenBy: whyNotOffered(server, tool, 'app') };
  }

  /** The tool with this name. `hiddenBy`: why it is not offered. */
  #named(name: string): { readonly server: string; readonly tool: string; readonly hiddenBy?: string | undefined } {
    const { catalogue, listings, whyNotOffered } = this.#options;
    const entry = catalogue.tool(name);
    if (entry) return { server: entry.server, tool: entry.tool.name };
    // A renamed tool is not in the catalogue until it is accepted.
    const change = listings.changeNamed(name);
    if (change) return { server: change.server, tool: change.name, hiddenBy: change.after && whyNotOffered(change.server, change.after) };
    const hidden = catalogue.hidden(name);
    if (hidden) return { server: hidden.server, tool: hidden.tool.name, hiddenBy: whyNotOffered(hidden.server, hidden.tool) };
    this.#options.named(name);
    throw noSuchTool(name);
  }

  /** The catalogue's entry; a changed tool is shown to the person first. */
  async #admitted(server: string, tool: string, signal: AbortSignal | undefined): Promise<CatalogueTool> {
    const { catalogue, listings, person } = this.#options;
    const change = listings.changeOf(server, tool);
    if (change) {
      const { acceptChange } = person ?? {};
      const accepted = acceptChange ? await acceptChange.call(person, change, { server, signal: signal ?? never() }) : false;
      if (!accepted) {
        const what = change.kind === 'new' ? 'is new, and needs approval' : `was ${change.kind} since it was accepted`;
        throw new HostError('tool-changed', `${server}/${tool} ${what}:\n${change.diff.join('\n')}`);
      }
      await listings.accept(change);
    }
    const entry = catalogue.toolOf(server, tool);
    if (!entry) throw new HostError('no-such-tool', `${server} has no tool ${quote(tool)} any more`);
    return entry;
  }

  /**
   * Resolves with the digest of the definition that was allowed; rejects with `refused` if it was not allowed.
   * Undefined: the person's answer came too late.
   */
  async #permit(asked: PendingCall, entry: CatalogueTool): Promise<string | undefined> {
    const { id, server, args, signal, app } = asked;
    const { limits, person, principal, identity } = this.#options;
    const { tool, digest } = entry;
    const bound: Shown = { server: identity(server), tool: tool.name, digest, args, principal, ...app };
    const ruling = await this.#rule(entry, args, app);
    if (ruling.verdict === 'deny') return this.#refuse(id, server, tool, `rule ${ruling.at}`, 'a rule denies it');
    if (ruling.verdict === 'allow') return this.#decided(id, server, tool, digest, `rule ${ruling.at}`);
    // A rule that asks takes precedence over grants.
    if (ruling.at < 0 && this.#approvals.granted(bound)) return this.#decided(id, server, tool, digest, 'grant');
    const consented = ruling.at < 0 ? asked.consented?.(tool, digest) : undefined;
    if (consented !== undefined) return this.#decided(id, server, tool, digest, consented, 'once');
    const { why = ruling.at < 0 ? 'default' : 'rule' } = asked;
    if (!person?.approve) return this.#refuse(id, server, tool, 'default', 'no person can be asked for consent');
    if (++asked.shown > limits.maxAsks) {
      throw new HostError('tool-changed', `${server}/${tool.name} was shown ${limits.maxAsks} times, and changed or was approved too late each time`);
    }
    const approval = await this.#approvals.approve(bound);
    const decision = await person.approve({ server, tool, digest, args, principal, why, ...app }, { server, signal: signal ?? never() });
    checkOptions<object>('person.approve: decision', decision, { allow: '"once" or "session" or "always" or boolean', by: 'string', reason: 'string' });
    const by = decision.by ?? principal;
    if (typeof decision.allow !== 'string') return this.#refuse(id, server, tool, by, decision.reason ?? 'the person declined');
    if (!await this.#approvals.spend(approval, bound)) {
      asked.why = 'too-late';
      return undefined;
    }
    if (decision.allow !== 'once') await this.#grant(bound, decision.allow);
    asked.why = 'changed-while-shown';
    // Minutes may pass between showing and calling.
    asked.listing = this.#options.listings.next(server);
    return this.#decided(id, server, tool, digest, by, decision.allow);
  }

  #rule({ server, tool }: CatalogueTool, args: Readonly<Record<string, unknown>>, app: PendingCall['app']): Promise<Ruling> {
    const { rules = [], resolvePath, trusted, identity } = this.#options;
    return rule(rules, { server, identity: identity(server), trusted: trusted(server), tool, args, ...app }, resolvePath);
  }

  async #grant(shown: Shown, reach: 'session' | 'always'): Promise<void> {
    const { args, ...about } = shown;
    const grant: Grant = { ...about, at: this.#options.clock.now() };
    if (reach === 'always') await this.#keep((kept) => [...kept, grant]);
    this.#approvals.grant(grant);
  }

  /** Changes the permanent grants, one change after the other. Rejects with a `HostError` `store-failed`. */
  #keep(change: (kept: readonly Grant[]) => readonly Grant[]): Promise<void> {
    const { store } = this.#options;
    const mine = this.#keeping.then(async () => {
      try {
        await updateValue(store, 'grants', (kept) => change(grantsOf(kept)));
      } catch (thrown) {
        throw new HostError('store-failed', `the permanent grants could not be stored: ${errorMessage(thrown)}`, { cause: thrown });
      }
    });
    this.#keeping = mine.catch(() => {});
    return mine;
  }

  /** The permissions for more than one call. */
  get grants(): readonly Grant[] {
    return this.#approvals.grants;
  }

  /** See `Host.revoke`. */
  async revoke(fits: (grant: Grant) => boolean): Promise<number> {
    const count = this.#approvals.revoke(fits);
    await this.#keep((kept) => kept.filter((grant) => !fits(grant)));
    return count;
  }

  #decided(call: number, server: string, { name }: Tool, digest: string, by: string, reach?: string): string {
    void this.#options.log.record('decided', { call, server, tool: name, decision: 'allowed', by, ...reach !== undefined && { reach } });
    return digest;
  }

  async #refuse(call: number, server: string, { name }: Tool, by: string, why: string): Promise<never> {
    await this.#options.log.record('decided', { call, server, tool: name, decision: 'refused', by, why });
    throw new HostError('refused', `${server}/${name} was not called: ${why}`);
  }
}

const noSuchTool = (name: string): HostError => new HostError('no-such-tool', `no server has a tool ${quote(name)}`);

const callTool: NonNullable<HostCallOptions['via']> = (client, tool, args, options) => client.callTool(tool, args, options);

/** The application owns the store; a value may be of another version, or foreign. */
function grantsOf(value: unknown): Grant[] {
  return (Array.isArray(value) ? value as unknown[] : []).filter((one): one is Grant =>
    isObject(one) && ['server', 'tool', 'digest', 'principal'].every((name) => typeof one[name] === 'string') && typeof one['at'] === 'number');
}

/** A signal that never fires. */
const never = (): AbortSignal => new AbortController().signal;

/** The requests that an app of a server may make through a host. */
export interface HostApp {
  /**
   * Calls a tool by its own name. Rejects with a `HostError`: `no-such-tool` if the server has no such tool or it is not visible to apps,
   * or `refused`.
   */
  callTool(name: string, args?: Readonly<Record<string, unknown>>, options?: HostCallOptions): Promise<CallToolResult>;
  /** Reads a resource of the server. */
  readResource(uri: string, options?: HostCallOptions): Promise<ReadResourceResult>;
}

/** The host's functions for `hostApp`, for one server. */
export interface HostAppOptions {
  readonly call: (name: string, args: Readonly<Record<string, unknown>> | undefined, options: HostCallOptions | undefined) => Promise<CallToolResult>;
  readonly read: HostApp['readResource'];
  /** Records the URI of a read in the activity log. */
  readonly record: (uri: string) => Promise<void>;
}

/** See `Host.app`. */
export function hostApp({ call, read, record }: HostAppOptions): HostApp {
  return {
    async callTool(name, args, options) {
      checkOptions('HostApp.callTool: options', options ?? {}, hostCallShape);
      return call(name, args, options);
    },
    async readResource(uri, options) {
      checkOptions('HostApp.readResource: options', options ?? {}, hostCallShape);
      await record(uri);
      return read(uri, options);
    },
  };
}
