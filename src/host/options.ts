import type { Clock } from '../bounds/clock.ts';
import { checkOptions } from '../bounds/options.ts';
import type { ClientOptions, McpClient } from '../client/index.ts';
import { checkInfo } from '../protocol/internal-exports.ts';
import type { Implementation } from '../protocol/index.ts';
import type { ClientTransport, Trace } from '../transport/internal-exports.ts';
import type { LogSink } from './activity-log.ts';
import { checkSelection } from './availability.ts';
import type { ToolSelection } from './availability.ts';
import { checkConfig } from './config.ts';
import type { ServerConfig } from './config.ts';
import { defaultListingLimits } from './listed-items.ts';
import type { ListingLimits } from './listed-items.ts';
import { defaultRestartLimits } from './managed-server.ts';
import type { RestartLimits, ServerState } from './managed-server.ts';
import type { Person } from './person.ts';
import type { PinChange } from './pins.ts';
import type { Model } from './questions.ts';
import { checkRule } from './rules.ts';
import type { ResolvePath, Rule } from './rules.ts';
import type { hostSkills } from './skills.ts';
import type { HostStore } from './store.ts';
import type { ConsentLimits } from './tool-calls.ts';

/** The options of `Host`. */
export interface HostOptions {
  /** The identity that the host sends to servers. */
  readonly info: Implementation;
  /** The servers by name, as `readServers` reads them. */
  readonly servers: Readonly<Record<string, ServerConfig>>;
  /** Makes the transport to a server. On Node, `openServer` of `barewire/host/node` does. */
  readonly transport: (name: string, config: ServerConfig, hooks: TransportHooks) => ClientTransport;
  /** Makes the client of a server, such as one of barewire/tasks. Default: an `McpClient` with these options. */
  readonly client?: (server: string, info: Implementation, options: ClientOptions) => McpClient;
  /**
   * Which calls may run without a question. The first match decides; default: every call is asked about. A tool that a
   * rule without `args` denies is not offered.
   */
  readonly rules?: readonly Rule[];
  /**
   * Which tools of all servers are offered: `server/tool`, or without `/` a tool's own name. In addition, an entry of `servers` may have
   * its own `tools`. Default: all.
   */
  readonly tools?: ToolSelection;
  readonly person?: Person;
  readonly model?: Model;
  /** Lists and loads skills: `hostSkills`. Without it `skills` and `loadSkill` reject. */
  readonly skills?: typeof hostSkills;
  /** Pins and grants. Default: in memory. */
  readonly store?: HostStore;
  /** The activity log. Default: the last 10,000 lines in memory. */
  readonly log?: LogSink;
  /** The user of the host. Approvals and grants belong to them. Default: `user`. */
  readonly principal?: string;
  /** Resolves the path of a tool's argument to its real place; without it links are not followed. */
  readonly resolvePath?: ResolvePath;
  /** Receives every message of every server. */
  readonly trace?: (server: string, entry: Parameters<Trace>[0]) => void;
  /** A line that a server's program wrote to stderr. */
  readonly onStderr?: (server: string, line: string) => void;
  /** Called when a server's state changes; `why`, if known. */
  readonly onState?: (server: string, state: ServerState, why?: string) => void;
  /** Called when a list of a server changed and was read again; the pins show the differences. */
  readonly onChanges?: (server: string, changes: readonly PinChange[]) => void;
  /** Called when a server was listed, even if nothing changed. */
  readonly onListed?: (server: string) => void;
  /** Called for errors outside of any call. */
  readonly onError?: (error: Error, server?: string) => void;
  readonly limits?: Partial<HostLimits>;
  /** Gives the time. Default: the runtime's clock. */
  readonly clock?: Clock;
}

/** The callbacks of a host's transport. */
export interface TransportHooks {
  readonly trace: Trace;
  /** A line that the program wrote to stderr. */
  readonly onStderr: (line: string) => void;
}

export interface HostLimits extends RestartLimits, ConsentLimits, ListingLimits {}

/** Defaults of `HostLimits`. */
export const defaultHostLimits: HostLimits = { ...defaultRestartLimits, ...defaultListingLimits, approvalMs: 300_000, maxAsks: 3 };

/** Throws a TypeError for an unknown or malformed option, rule or entry. */
export function checkHostOptions(options: HostOptions): void {
  checkOptions('Host: options', options, {
    info: 'object', servers: 'object', transport: 'function', client: 'function', rules: 'list', tools: 'object', person: 'object', model: 'function',
    skills: 'function', store: 'object', log: 'object', principal: 'string', resolvePath: 'function', trace: 'function', onStderr: 'function',
    onState: 'function', onChanges: 'function', onListed: 'function', onError: 'function', limits: defaultHostLimits, clock: 'object',
  });
  const { info, servers, transport, rules = [], tools = {}, person = {} } = options;
  checkInfo('Host: options.info', info);
  checkOptions('Host: options.servers', servers, 'object');
  checkOptions('Host: options.transport', transport, 'function');
  for (const [name, config] of Object.entries(servers)) checkConfig(`Host: options.servers.${name.slice(0, 80)}`, config);
  rules.forEach((one, at) => checkRule(`Host: options.rules[${at}]`, one));
  checkSelection('Host: options.tools', tools);
  checkOptions('Host: options.person', person, {
    approve: 'function', acceptChange: 'function', elicit: 'function', elicitUrl: 'function', samplingRequest: 'function',
    samplingAnswer: 'function', approveSkill: 'function',
  });
}
