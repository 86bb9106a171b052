import type { McpClient } from 'barewire/client';
import { isProgram } from 'barewire/host';
import type { ServerConfig } from 'barewire/host';
import type { LoggingLevel } from 'barewire/protocol';
import type { Tap } from 'barewire/tap';
import type { JudgingView, ServerState, ServerView, Target } from '../messages.ts';

/** The state of one server in the page's host. */
export class ServerEntry {
  readonly name: string;
  source: ServerView['source'];
  readonly target: Target | undefined;
  config: ServerConfig;
  era: ServerView['era'];
  state: ServerState = 'resting';
  why = '';
  /** The client of the last connection. */
  client: McpClient | undefined;
  tap: Tap | undefined;
  holds = { sent: false, received: false };
  agreed: ServerView['agreed'] = null;
  /** The capabilities that our client declared, and the number of that connection. */
  declared: { readonly connection: number; readonly capabilities: Readonly<Record<string, unknown>> } | undefined;
  restarts = 0;
  connection = 0;
  /** Connection counters of the doctor and of the judge. */
  checks = 0;
  judged = 0;
  judging: JudgingView | undefined;
  startedAt = 0;
  startMs: number | null = null;
  readySince: number | null = null;
  latencyMs: number | null = null;
  listing = 0;
  logLevel: LoggingLevel | null = null;
  login: ServerView['login'] = 'none';
  readonly subscriptions = new Set<string>();

  constructor(name: string, config: ServerConfig, source: ServerView['source'], era: ServerView['era'], target?: Target) {
    this.name = name;
    this.config = config;
    this.source = source;
    this.era = era;
    this.target = target;
  }

  /** Applies a state change that the host reports. */
  moved(state: ServerState, why: string): void {
    const now = Date.now();
    if (state === 'starting') {
      if (this.state === 'down' || this.state === 'broken') this.restarts++;
      this.startedAt = now;
    }
    if (state === 'ready') {
      const { revision, server = null, capabilities = {}, instructions = null } = this.client ?? {};
      this.startMs = now - this.startedAt;
      this.readySince = now;
      this.agreed = revision ? { revision: revision.version, era: revision.era, server, capabilities, instructions } : null;
    } else this.readySince = null;
    this.state = state;
    this.why = why;
  }

  /** The client while it is connected. */
  get ready(): McpClient | undefined {
    return this.state === 'ready' ? this.client : undefined;
  }

  view(inFlight: number): ServerView {
    const { name, source, state, why, era, agreed, restarts, connection, readySince, startMs, latencyMs, logLevel, login, config } = this;
    return {
      name, source, state, why: why.slice(0, 2_000), era, agreed, restarts, connection, readySince, startMs, latencyMs, logLevel, login, inFlight,
      target: this.target ?? targetOf(config),
      declared: this.declared?.capabilities ?? null,
      disabled: config.disabled === true,
      trusted: config.trusted === true,
      roots: config.roots ?? [],
      subscriptions: [...this.subscriptions],
    };
  }
}

/** How a server is reached, without values of the environment, of headers and of the URL's query, user and password. */
export function targetOf(config: ServerConfig): Target {
  if (isProgram(config)) {
    const { command, args = [], cwd = null, env = {} } = config;
    return { kind: 'program', command, args, cwd, env: Object.keys(env) };
  }
  const url = new URL(config.url);
  url.username = url.password = '';
  for (const name of [...url.searchParams.keys()]) url.searchParams.set(name, '…');
  return { kind: 'address', url: url.href, headers: Object.keys(config.headers ?? {}) };
}
