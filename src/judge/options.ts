import type { Clock } from '../bounds/clock.ts';
import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';
import { revisions } from '../protocol/index.ts';
import type { ClientTransport, Trace } from '../transport/internal-exports.ts';
import type { JudgedAddress } from './http.ts';
import { allRules } from './rules.ts';

/** The server to judge: over a pipe, or at an address. */
export interface JudgedServer {
  /** Its display name: the command, or the address. */
  readonly name: string;
  /** Opens a new pipe to the server, with a separate process. Must pass each message to `trace`. */
  readonly open?: ((trace: Trace) => ClientTransport) | undefined;
  /** Instead of `open`: an address, and the function that sends requests to it. */
  readonly http?: JudgedAddress | undefined;
}

/** Tools, resources and prompts that the user names for rules that need them. */
export interface JudgeItems {
  /** A tool that takes longer than a second, and its arguments. */
  readonly slowTool?: NamedCall | undefined;
  /** A tool that asks its client a question. */
  readonly askingTool?: NamedCall | undefined;
  /** A tool that fails. */
  readonly failingTool?: NamedCall | undefined;
  /** More tools that may be called. */
  readonly tools?: readonly NamedCall[] | undefined;
  /** URIs that may be read, in addition to the listed ones. */
  readonly resources?: readonly string[] | undefined;
  /** Prompts with their arguments. */
  readonly prompts?: readonly NamedCall[] | undefined;
}

/** How `barewire judge` gets a token. The file names environment variables, which hold the values. */
export interface JudgeLogin {
  /** The address to log in to. Only its origin gets the token. */
  readonly server: string;
  /** The variable with an access token. */
  readonly tokenVariable?: string | undefined;
  /** Instead of a token: the variables with the id and the secret of a client that acts for itself. */
  readonly clientIdVariable?: string | undefined;
  readonly clientSecretVariable?: string | undefined;
  /** The authorization server of the client. Only it gets the secret. */
  readonly issuer?: string | undefined;
  /** Scopes to ask for, separated by spaces. */
  readonly scope?: string | undefined;
}

/** The contents of a `judge.json`. */
export interface JudgeFile extends JudgeItems {
  readonly login?: JudgeLogin | undefined;
}

/** A tool or prompt to call, and its arguments. */
export interface NamedCall {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

/** Compiles a schema of a tool; throws if the schema is invalid in its dialect. Returns the validator. */
export type SchemaCompiler = (schema: Record<string, unknown>) => (value: unknown) => { readonly valid: boolean };

/** Options of a run against either role. */
export interface JudgeRunOptions {
  /** Ids of the rules to judge. Default: all. */
  readonly only?: readonly string[] | undefined;
  /** Revisions to judge. Default: all that the target speaks. */
  readonly revisions?: readonly string[] | undefined;
  /** Skips slow probes, and all revisions but the newest of each era. */
  readonly quick?: boolean | undefined;
  /** Made-up names and values come from this seed. The same seed gives the same run. Default: 1. */
  readonly seed?: number | undefined;
  /** Milliseconds to wait for each answer. Default: 5 s. */
  readonly answerMs?: number | undefined;
  /** Milliseconds to wait for the first message; the start may fetch a package. Default: 60 s (server), 30 s (client). */
  readonly startMs?: number | undefined;
  /** Called with the name of the next step, to show progress. */
  readonly onStep?: ((what: string) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** Options of a run against a server. */
export interface JudgeOptions extends JudgeRunOptions {
  /** Also sends hostile input: malformed, oversized, cut. */
  readonly hostile?: boolean | undefined;
  /** Whether a tool may be called. Default: over a pipe, tools with `readOnlyHint: true`; at an address, none. */
  readonly mayCall?: ((tool: Readonly<Record<string, unknown>>) => boolean) | undefined;
  readonly items?: JudgeItems | undefined;
  /** `compile` of barewire/schema/full. Without it, schemas and structured results are not judged. */
  readonly compile?: SchemaCompiler | undefined;
}

/** Options of a run against a client. */
export interface JudgeClientOptions extends JudgeRunOptions {
  /** Milliseconds without a message after which a visit ends, even if the program still runs. After 60 times as long, a visit ends in any case. Default: 5 s. */
  readonly idleMs?: number | undefined;
}

/** The shape for `checkOptions`. */
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
