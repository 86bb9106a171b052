import type { AppCsp } from 'barewire/apps';
import type { Address } from 'barewire/doctor';
import type { Explanation } from 'barewire/explain';
import type { EventTraceEntry, HttpAuthorization, HttpTrace, HttpTraceEntry } from 'barewire/fetch';
import type { HostStore, LogSink, Model, ResolvePath, Rule, ServerConfig, ToolSelection } from 'barewire/host';
import type { ClientOptions, ClientTransport, McpClient } from 'barewire/client';
import type { Implementation } from 'barewire/protocol';
import type { JsonSchema, Validate } from 'barewire/schema';
import type { JudgedServer, JudgeRuling } from 'barewire/judge';
import type { LoginStep, Target, TaskView, Welcome } from '../messages.ts';
import type { SavedCalls } from './saved-calls.ts';
import type { Tasks } from './tasks.ts';

/** Passed to each transport that is opened. */
export interface OpenHooks {
  readonly trace: HttpTrace;
  readonly onStderr: (line: string) => void;
  /** Authorizes requests; undefined if the person has not logged in. */
  readonly auth: HttpAuthorization | undefined;
}

/** The authorization of one server, from the start of a login. */
export interface Login {
  readonly auth: HttpAuthorization;
  /** Runs the login. It takes as long as the person needs. */
  authorize(signal: AbortSignal): Promise<void>;
  signOut(): Promise<void>;
}

/** Saves servers to a configuration. Both throw a `PageError` `bad-config` if that fails. */
export interface Saving {
  propose(name: string, config: ServerConfig): { readonly path: string; readonly before: string; readonly after: string };
  /** Throws a `PageError` `changed` if the file is no longer `before`. */
  save(name: string, config: ServerConfig, before: string): void;
}

/** Reads the configurations of other applications. */
export interface Importing {
  readonly applications: readonly string[];
  /** The user's files of an application, and the servers in them; undefined if the application is unknown. */
  read(application: string): Promise<{ readonly paths: readonly string[]; readonly servers: Readonly<Record<string, ServerConfig>> } | undefined>;
}

/** Serves the sandbox documents that contain apps. */
export interface AppScreen {
  readonly port: number;
  /** Makes a document whose policy allows these domains. `onReport` gets each violation of the policy. */
  open(csp: AppCsp, onReport: (what: string) => void): { readonly path: string; close(): void };
  /** Ports of this host, which no app may reach. */
  ownPorts(): readonly number[];
}

/** Judges a server. `open`: makes a new connection to it. `onStep` gets each next step. */
export type Judge = (server: { readonly name: string; readonly config: ServerConfig; readonly open: NonNullable<JudgedServer['open']> }, quick: boolean, onStep: (what: string) => void) => Promise<JudgeRuling>;

/** The parts of the page's host, which opens no connections itself. */
export interface PageHostOptions {
  readonly carrier: Welcome['carrier'];
  /** The version of barewire. */
  readonly version: string;
  readonly servers: Readonly<Record<string, ServerConfig>>;
  /** Makes the transport to a server. */
  readonly open: (name: string, config: ServerConfig, hooks: OpenHooks) => ClientTransport;
  /** Makes the client of a server. Default: an `McpClient`, which does not support tasks. */
  readonly client?: (info: Implementation, options: ClientOptions) => McpClient;
  /** Follows tasks: `(onChange, onRemoved) => new Tasks(onChange, onRemoved)`. `client` must then return a `TaskClient`. */
  readonly tasks?: (onChange: (view: TaskView) => void, onRemoved: (key: string) => void) => Tasks;
  /** How to show a server that is neither a program nor an address. */
  readonly target?: (name: string) => Target | undefined;
  /** Explains HTTP heads and events. Default: no explanations, if no server is reached over HTTP. */
  readonly explainHttp?: (entry: HttpTraceEntry | EventTraceEntry, revision?: string) => Explanation;
  /** The validator for arguments, forms and structured results. */
  readonly compile: (schema: JsonSchema) => Validate;
  readonly rules?: readonly Rule[];
  /** Which tools of all servers are offered: see `HostOptions.tools` of barewire/host. */
  readonly tools?: ToolSelection;
  readonly store?: HostStore;
  /** Where the activity log is kept. Default: in memory. */
  readonly log?: LogSink;
  readonly model?: Model;
  readonly resolvePath?: ResolvePath;
  /** Saves servers that were added in the page. */
  readonly saving?: Saving;
  /** Stores named calls. */
  readonly savedCalls?: SavedCalls;
  readonly importing?: Importing;
  /** Shows apps of servers. Without it the host does not declare the apps extension. */
  readonly apps?: AppScreen;
  readonly login?: (server: string, url: string, onStep: (step: Omit<LoginStep, 'server' | 'at'>) => void) => Login;
  /** How the doctor sends plain HTTP requests to a server; undefined if it has no address. */
  readonly probe?: (config: ServerConfig) => Address | undefined;
  /** Judges servers by the rules of the specification. Without it there is no judge. */
  readonly judge?: Judge;
  /** Memory of the process, in bytes. */
  readonly memory?: () => { readonly residentBytes: number; readonly heapBytes: number };
  readonly limits?: Partial<PageHostLimits>;
}

export interface PageHostLimits {
  /** Entries that the wire log holds. Default: 200,000. */
  readonly maxWireEntries: number;
  /** Memory for these entries, in bytes. Default: 128 MiB. */
  readonly maxWireBytes: number;
  /** Milliseconds without a sign of life after which a call fails. Default: 5 minutes. */
  readonly callTimeoutMs: number;
}

export const defaultPageHostLimits: PageHostLimits = { maxWireEntries: 200_000, maxWireBytes: 128 * 1024 * 1024, callTimeoutMs: 300_000 };
