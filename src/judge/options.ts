import type { Clock } from '../bounds/clock.ts';
import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';
import { revisions } from '../protocol/index.ts';
import type { ClientTransport, Trace } from '../transport/internal-exports.ts';
import type { JudgedAddress } from './http.ts';
import { allRules } from './rules.ts';

/** The server that is judged: over a pipe, or at an address. */
export interface JudgedServer {
  /** Its name for people: the command, or the address. */
  readonly name: string;
  /** Opens a new pipe to it, with a process of its own. Each message must be passed to `trace`. */
  readonly open?: ((trace: Trace) => ClientTransport) | undefined;
  /** Instead of `open`: an address, and what sends requests to it. */
  readonly http?: JudgedAddress | undefined;
}

/** A tool, a resource or a prompt that the person names for rules that need one. */
export interface JudgeItems {
  /** A tool that takes longer than a second, and its arguments. */
  readonly slowTool?: NamedCall | undefined;
  /** A tool that asks its client. */
  readonly askingTool?: NamedCall | undefined;
  /** A tool that fails. */
  readonly failingTool?: NamedCall | undefined;
  /** Further tools that may be called. */
  readonly tools?: readonly NamedCall[] | undefined;
  /** URIs that may be read, beside what is listed. */
  readonly resources?: readonly string[] | undefined;
  /** Prompts with their arguments. */
  readonly prompts?: readonly NamedCall[] | undefined;
}

/** How `barewire judge` gets a token. The values stand in the environment; the file has the names of their variables. */
export interface JudgeLogin {
  /** The address that the login is for: its origin gets the token, and no other. */
  readonly server: string;
  /** Names the variable that holds an access token. */
  readonly tokenVariable?: string | undefined;
  /** Instead of a token: name the variables that hold the id and the secret of a client that acts for itself. */
  readonly clientIdVariable?: string | undefined;
  readonly clientSecretVariable?: string | undefined;
  /** The issuer of the client: the authorization server that gets the secret, and no other. */
  readonly issuer?: string | undefined;
  /** Scopes to ask for, separated by spaces. */
  readonly scope?: string | undefined;
}

/** What a `judge.json` holds. */
export interface JudgeFile extends JudgeItems {
  readonly login?: JudgeLogin | undefined;
}

/** What is called, with which arguments. */
export interface NamedCall {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

/** Checks a schema of a tool; throws where it is not valid in its dialect. Returns what validates a value. */
export type SchemaCompiler = (schema: Record<string, unknown>) => (value: unknown) => { readonly valid: boolean };

/** Options of a run against either role. */
export interface JudgeRunOptions {
  /** Ids of the rules that are judged; all. */
  readonly only?: readonly string[] | undefined;
  /** Revisions that are judged; all that the target speaks. */
  readonly revisions?: readonly string[] | undefined;
  /** Leaves out what takes time, and all revisions but the newest of each era. */
  readonly quick?: boolean | undefined;
  /** What made-up names and values are derived from. The same seed gives the same run. 1. */
  readonly seed?: number | undefined;
  /** Milliseconds to wait for each answer. 5 s. */
  readonly answerMs?: number | undefined;
  /** Milliseconds to wait for the first message, since the start may fetch a package. 60 s of a server, 30 s of a client. */
  readonly startMs?: number | undefined;
  /** Called with the next step, for a person who waits. */
  readonly onStep?: ((what: string) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** Options of a run against a server. */
export interface JudgeOptions extends JudgeRunOptions {
  /** Makes probes that mean harm: malformed, oversized, cut. */
  readonly hostile?: boolean | undefined;
  /** Whether a tool may be called. Default: over a pipe those with `readOnlyHint: true`, at an address none. */
  readonly mayCall?: ((tool: Readonly<Record<string, unknown>>) => boolean) | undefined;
  readonly items?: JudgeItems | undefined;
  /** `compile` of barewire/schema/full; without it schemas and structured results are not judged. */
  readonly compile?: SchemaCompiler | undefined;
}

/** Options of a run against a client. */
export interface JudgeClientOptions extends JudgeRunOptions {
  /** Milliseconds without a message after which a visit is over although the program runs. 5 s. */
  readonly idleMs?: number | undefined;
}

/** For `checkOptions`. */
export const judgedServerShape: Shape<JudgedServer> = { name: 'string', open: 'function', http: { url: 'string', fetch: 'function', headers: 'object', sse: 'boolean' } };

const runShape: Shape<JudgeRunOptions> = { only: 'list', revisions: 'list', quick: 'boolean', seed: 'number', answerMs: 0, startMs: 0, onStep: 'function', clock: 'object' };
const judgeShape: Shape<JudgeOptions> = { ...runShape, hostile: 'boolean', mayCall: 'function', items: 'object', compile: 'function' };
const clientShape: Shape<JudgeClientOptions> = { ...runShape, idleMs: 0 };

/** Throws a TypeError for an option that is unknown or malformed, and for a rule or a revision that does not exist. */
export function checkRun(name: 'judgeServer' | 'judgeClient', options: JudgeRunOptions): void {
  checkOptions(`${name}: options`, options, name === 'judgeServer' ? judgeShape : clientShape);
  for (const id of options.only ?? []) if (!allRules().has(id)) throw new TypeError(`${name}: options.only names ${JSON.stringify(id)}, which is not a rule`);
  for (const version of options.revisions ?? []) if (!revisions.some((one) => one.version === version)) throw new TypeError(`${name}: options.revisions names ${JSON.stringify(version)}, which is not a revision`);
}
