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

/** What a transport is opened with. */
export interface OpenHooks {
  readonly trace: HttpTrace;
  readonly onStderr: (line: string) => void;
  /** Gets in where the server wants credentials; undefined: the person has not logged in. */
  readonly auth: HttpAuthorization | undefined;
}

/** The authorization of one server, once the person began to log in. */
export interface Login {
  readonly auth: HttpAuthorization;
  /** Gets tokens where the server wants some. It takes as long as the person needs. */
  authorize(signal: AbortSignal): Promise<void>;
  signOut(): Promise<void>;
}

/** Keeps servers in a configuration. Both throw a `PageError` `bad-config` where it cannot be done. */
export interface Saving {
  propose(name: string, config: ServerConfig): { readonly path: string; readonly before: string; readonly after: string };
  /** Throws a `PageError` `changed` where the file is not `before` any more. */
  save(name: string, config: ServerConfig, before: string): void;
}

/** Reads the configurations of other applications. */
export interface Importing {
  readonly applications: readonly string[];
  /** The user's own files of an application, and the servers in them; undefined: there is no such application. */
  read(application: string): Promise<{ readonly paths: readonly string[]; readonly servers: Readonly<Record<string, ServerConfig>> } | undefined>;
}

/** Where apps are shown: a listener of documents that hold them. */
export interface AppScreen {
  readonly port: number;
  /** Makes a document whose policy allows these domains. `onReport` hears what the policy forbade. */
  open(csp: AppCsp, onReport: (what: string) => void): { readonly path: string; close(): void };
  /** Ports of this host, which no app reaches. */
  ownPorts(): readonly number[];
}

/** Judges a server. `open`: a new connection to its program. `onStep` hears what is done next. */
export type Judge = (server: { readonly name: string; readonly config: ServerConfig; readonly open: NonNullable<JudgedServer['open']> }, quick: boolean, onStep: (what: string) => void) => Promise<JudgeRuling>;

/** What the page's host is made of: it opens nothing itself. */
export interface PageHostOptions {
  readonly carrier: Welcome['carrier'];
  /** The version of barewire. */
  readonly version: string;
  readonly servers: Readonly<Record<string, ServerConfig>>;
  /** Opens the way to a server. */
  readonly open: (name: string, config: ServerConfig, hooks: OpenHooks) => ClientTransport;
  /** Makes the client of a server. Default: an `McpClient`, which knows no tasks. */
  readonly client?: (info: Implementation, options: ClientOptions) => McpClient;
  /** Follows tasks: `(onChange, onRemoved) => new Tasks(onChange, onRemoved)`, with a `client` that knows them. */
  readonly tasks?: (onChange: (view: TaskView) => void, onRemoved: (key: string) => void) => Tasks;
  /** How a server is shown that is neither a program nor an address. */
  readonly target?: (name: string) => Target | undefined;
  /** Says what heads and events of HTTP are. Default: nothing, where no server is reached over HTTP. */
  readonly explainHttp?: (entry: HttpTraceEntry | EventTraceEntry, revision?: string) => Explanation;
  /** The judge of arguments, forms and structured results. */
  readonly compile: (schema: JsonSchema) => Validate;
  readonly rules?: readonly Rule[];
  /** Which tools of all servers are offered: see `HostOptions.tools` of barewire/host. */
  readonly tools?: ToolSelection;
  readonly store?: HostStore;
  /** Where the activity log is kept. Default: in memory. */
  readonly log?: LogSink;
  readonly model?: Model;
  readonly resolvePath?: ResolvePath;
  /** Where servers that were typed in are kept. */
  readonly saving?: Saving;
  /** Where calls are kept under a name. */
  readonly savedCalls?: SavedCalls;
  readonly importing?: Importing;
  /** Shows apps of servers. Without it the host does not declare that it can. */
  readonly apps?: AppScreen;
  readonly login?: (server: string, url: string, onStep: (step: Omit<LoginStep, 'server' | 'at'>) => void) => Login;
  /** How the doctor sends plain HTTP requests to a server; undefined: it has no address. */
  readonly probe?: (config: ServerConfig) => Address | undefined;
  /** Judges servers by the rules of the specification. Without it nobody does. */
  readonly judge?: Judge;
  /** Of the process, in bytes. */
  readonly memory?: () => { readonly residentBytes: number; readonly heapBytes: number };
  readonly limits?: Partial<PageHostLimits>;
}

export interface PageHostLimits {
  /** Entries of the wire that are held. 200,000. */
  readonly maxWireEntries: number;
  /** What their texts may take, in bytes. 128 MiB. */
  readonly maxWireBytes: number;
  /** Milliseconds without a sign of life after which a call is given up. 5 minutes. */
  readonly callTimeoutMs: number;
}

export const defaultPageHostLimits: PageHostLimits = { maxWireEntries: 200_000, maxWireBytes: 128 * 1024 * 1024, callTimeoutMs: 300_000 };
