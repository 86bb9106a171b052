// The data that the page shows, as JSON. The host sends a view whole whenever it changes. The page only shows the last one. Times are
// milliseconds since the epoch, durations milliseconds.

import type {
  CallToolResult, CreateMessageRequestParams, CreateMessageResult, ElicitRequestFormParams, GetPromptResult, Implementation,
  LoggingLevel, Prompt, ReadResourceResult, Resource, ResourceTemplate, Root, ServerCapabilities, Tool,
} from 'barewire/protocol';
import type { AppResourceMeta } from 'barewire/apps';
import type { ToolSelection } from 'barewire/host';
import type { Lexemes } from './json/lexemes.ts';

// ---- servers

/** `resting`: not started, or ended in order. `down`: it died. `broken`: it died so often that it is not restarted for a while. */
export type ServerState = 'resting' | 'starting' | 'ready' | 'down' | 'broken';

/** How a server is reached. Values of the environment and of headers never leave the host: only their names are shown. */
export type Target =
  | { readonly kind: 'program'; readonly command: string; readonly args: readonly string[]; readonly cwd: string | null; readonly env: readonly string[] }
  | { readonly kind: 'address'; readonly url: string; readonly headers: readonly string[] }
  /** The playground's server, in a worker of the page. */
  | { readonly kind: 'worker'; readonly title: string };

export interface ServerView {
  /** Its name in the configuration; the page identifies it by this name. */
  readonly name: string;
  readonly target: Target;
  readonly source: 'configuration' | 'typed';
  readonly state: ServerState;
  /** Why it is down or broken; '' otherwise. */
  readonly why: string;
  readonly disabled: boolean;
  /** The user decided that its annotations can be trusted. */
  readonly trusted: boolean;
  /** The revisions that the client offers to it: all, or those of one era. */
  readonly era: 'auto' | 'legacy' | 'modern';
  /** Negotiated at the last connection; null before the first. */
  readonly agreed: {
    readonly revision: string;
    readonly era: 'legacy' | 'modern';
    readonly server: Implementation | null;
    readonly capabilities: ServerCapabilities;
    readonly instructions: string | null;
  } | null;
  /** The capabilities that our client declared at its last connection; null before that. */
  readonly declared: Readonly<Record<string, unknown>> | null;
  /** How often it was restarted after it died. */
  readonly restarts: number;
  /** The number of the current or last connection, from 1; 0 before the first. Wire entries contain it. */
  readonly connection: number;
  readonly readySince: number | null;
  /** `startMs`: from the start to the end of the handshake. `latencyMs`: of the last ping. Null if not measured. */
  readonly startMs: number | null;
  readonly latencyMs: number | null;
  readonly roots: readonly Root[];
  readonly logLevel: LoggingLevel | null;
  /** URIs of subscribed resources. */
  readonly subscriptions: readonly string[];
  readonly login: 'none' | 'needed' | 'under-way' | 'done';
  /** Our requests without an answer yet. */
  readonly inFlight: number;
}

/** A server that the user types in. */
export interface NewServer {
  readonly name: string;
  /** As in `mcpServers`: `command`, `args`, `env`, `cwd`, or `url`, `headers`. `env` and `headers` are kept in memory only. */
  readonly target:
    | { readonly command: string; readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>>; readonly cwd?: string }
    | { readonly url: string; readonly headers?: Readonly<Record<string, string>> };
  readonly trusted?: boolean;
  readonly era?: 'auto' | 'legacy' | 'modern';
  readonly roots?: readonly Root[];
  /** Which of its tools the host offers. Default: all. */
  readonly tools?: ToolSelection;
}

// ---- the catalogue

/** A tool, compared with the definition that the user accepted. `changed`, `renamed`: see `QuestionView` `change`. */
export interface ToolView {
  readonly tool: Tool;
  /** Unique over all servers: `server/tool`. */
  readonly name: string;
  readonly digest: string;
  readonly pin: 'accepted' | 'changed' | 'renamed';
  /** The difference from the accepted definition; null without a difference. `tool` is then the accepted one, if any. */
  readonly change: ChangeView | null;
  /** The tool has an app (`_meta.ui`) that shows its results. */
  readonly app: boolean;
}

export interface CatalogueView {
  readonly server: string;
  readonly tools: readonly ToolView[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly listedAt: number;
  /** Counts the listings of this server from 1, for example after `listChanged`. */
  readonly listing: number;
}

// ---- calls

export interface ProgressView {
  readonly progress: number;
  readonly total: number | null;
  readonly message: string | null;
}

/** Why something failed. `code`: of the JSON-RPC error if the peer sent one, else a word. */
export interface Failure {
  readonly code: number | string;
  readonly message: string;
  readonly data?: unknown;
}

export type CallState = 'waiting' | 'running' | 'done' | 'failed' | 'refused' | 'cancelled';

/** One tool call, resource read or prompt get. All tabs see it, and it outlives the tab that began it. */
export interface CallView {
  /** Counts from 1 in this host. */
  readonly call: number;
  readonly server: string;
  readonly about:
    /** `lexemes`: numbers of `args` as they were typed, by JSON Pointer. `app`: an app requested the call. */
    | { readonly kind: 'tool'; readonly name: string; readonly args: Readonly<Record<string, unknown>>; readonly lexemes?: Lexemes; readonly app?: true }
    | { readonly kind: 'resource'; readonly uri: string }
    | { readonly kind: 'prompt'; readonly name: string; readonly args: Readonly<Record<string, string>> };
  /** `waiting`: for a rule or the person. `running`: the request was sent. */
  readonly state: CallState;
  readonly progress: ProgressView | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** The id of the task that the call became; null if it is not a task. */
  readonly task: string | null;
  /** With `done`. */
  readonly result: CallToolResult | ReadResourceResult | GetPromptResult | null;
  /** With `failed`, `refused`, `cancelled`. */
  readonly failure: Failure | null;
  /** Why the result does not match the output schema, in the validator's words; '' if it matches. */
  readonly outputFault: string;
  /** `seq` of the wire entry of its last request; null if none was sent. */
  readonly wire: number | null;
}

/** An app that was read and checked: all that the page needs to show it. */
export interface AppView {
  /** Identifies it in other actions. */
  readonly app: string;
  readonly uri: string;
  /** Where its sandbox is served: a port, and a path there. */
  readonly port: number;
  readonly path: string;
  readonly html: string;
  readonly meta: AppResourceMeta;
  /** Parts of its declaration that were ignored, and why. */
  readonly faults: readonly string[];
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
  /** The call whose result it shows; the call may still run. */
  readonly call: number;
}

/** A call saved under a name. */
export interface SavedCallView {
  readonly server: string;
  readonly tool: string;
  readonly name: string;
  /** A JSON object with its original tokens. */
  readonly args: string;
  /** It was saved since the host started. If false, it comes from the file, and its first call needs approval. */
  readonly own: boolean;
}

// ---- questions

interface Asked {
  /** Pass this id with the answer. */
  readonly id: string;
  /** The server that asks, or whose tool is about to be called. */
  readonly server: string;
  readonly askedAt: number;
  /** The deadline for an answer; null if none is known here. */
  readonly until: number | null;
  /** The tools of this server with running calls: one of them asks. Absent if something else may ask. */
  readonly tools?: readonly string[];
}

/** A question to the person. Every tab shows it; the first answer counts. */
export type QuestionView = Asked & (
  | { readonly kind: 'form'; readonly message: string; readonly schema: ElicitRequestFormParams['requestedSchema'] }
  /** `host` is the URL's host. Only http and https URLs arrive here. */
  | { readonly kind: 'url'; readonly message: string; readonly url: string; readonly host: string }
  /** `hasModel`: a model answers; else the person does, with `byHand`. */
  | { readonly kind: 'sampling'; readonly params: CreateMessageRequestParams; readonly hasModel: boolean }
  /** The model's answer, shown before it is sent. */
  | { readonly kind: 'sampling-answer'; readonly params: CreateMessageRequestParams; readonly answer: CreateMessageResult }
  | {
    readonly kind: 'approval';
    readonly tool: Tool;
    readonly args: Readonly<Record<string, unknown>>;
    /** Numbers of `args` as they were typed. */
    readonly lexemes: Lexemes;
    /** The specification's defaults fill in the hints that the server omits. */
    readonly annotations: {
      readonly readOnlyHint: boolean; readonly destructiveHint: boolean; readonly idempotentHint: boolean; readonly openWorldHint: boolean;
    };
    /** The server sent at least one annotation; else all of `annotations` are defaults. */
    readonly annotated: boolean;
    readonly trusted: boolean;
    readonly digest: string;
    /** `destructive`: the server declares this. `link`, `file`: where the arguments come from. `app`: an app requests the call. */
    readonly why: 'rule' | 'default' | 'changed-while-shown' | 'too-late' | 'destructive' | 'link' | 'file' | 'app';
  }
  | { readonly kind: 'change'; readonly change: ChangeView }
);

/** A tool that differs from the accepted definition. */
export interface ChangeView {
  readonly kind: 'changed' | 'renamed';
  readonly name: string;
  readonly formerly: string | null;
  readonly before: Tool | null;
  readonly after: Tool | null;
  /** Lines for a person: `- member: old`, `+ member: new`. */
  readonly diff: readonly string[];
}

/** The person's answer. `kind` is that of the question. */
export type Answer =
  | { readonly kind: 'form'; readonly action: 'accept'; readonly content: Readonly<Record<string, unknown>>; readonly lexemes?: Lexemes }
  | { readonly kind: 'form'; readonly action: 'decline' | 'cancel' }
  | { readonly kind: 'url'; readonly action: 'accept' | 'decline' | 'cancel' }
  /** `params`: the edited request. `byHand`: the person's answer in place of a model's. */
  | { readonly kind: 'sampling'; readonly allow: true; readonly params?: CreateMessageRequestParams; readonly byHand?: CreateMessageResult }
  | { readonly kind: 'sampling-answer'; readonly allow: true; readonly answer?: CreateMessageResult }
  | { readonly kind: 'sampling'; readonly allow: false; readonly reason?: string }
  | { readonly kind: 'sampling-answer'; readonly allow: false; readonly reason?: string }
  | { readonly kind: 'approval'; readonly allow: 'once' | 'session' | 'always' }
  | { readonly kind: 'approval'; readonly allow: false; readonly reason?: string }
  | { readonly kind: 'change'; readonly accept: boolean };

// ---- activity and logs

/** One line of the activity log. Other members depend on `kind`; secrets are redacted. */
export interface ActivityView {
  readonly seq: number;
  readonly at: number;
  readonly kind: 'server' | 'asked' | 'decided' | 'sent' | 'answered' | 'failed' | 'unknown' | 'question' | 'pin' | 'roots' | 'sampling' | 'skill' | 'app';
  readonly server?: string;
  readonly tool?: string;
  readonly [detail: string]: unknown;
}

/** A log message of a server: `notifications/message`, or a line of stderr, which has no level. */
export interface LogView {
  /** Counts from 1. */
  readonly seq: number;
  readonly at: number;
  readonly server: string;
  readonly source: 'protocol' | 'stderr';
  readonly level: LoggingLevel | null;
  readonly logger: string | null;
  readonly data: unknown;
}

// ---- the wire

interface Passed {
  /** Counts from 1 over all servers, without a gap. Dropped entries have the lowest numbers. */
  readonly seq: number;
  readonly at: number;
  readonly server: string;
  /** The number of the connection to this server, from 1. */
  readonly connection: number;
  /** Seen from the host: `sent` means by our client. */
  readonly direction: 'sent' | 'received';
  /** Over HTTP: the same number for a request, its response and the messages in both. Null elsewhere. */
  readonly exchange: number | null;
}

export interface WireMessage extends Passed {
  readonly kind: 'message';
  /** The text, or its first 16,384 characters if `whole` is false. `wire.text` returns all of it. */
  readonly text: string;
  readonly chars: number;
  readonly whole: boolean;
  readonly shape: 'request' | 'notification' | 'result' | 'error' | 'batch' | 'unreadable';
  /** Its method; for a response that of its request; '' if unknown. */
  readonly method: string;
  /** The JSON-RPC id, as JSON; '' for none. */
  readonly rpcId: string;
  /** Response: `seq` of its request, and the time between. Progress: `seq` of the request, without a time. */
  readonly answers: number | null;
  readonly ms: number | null;
  /** An explanation in one line, and the section of the specification behind it, such as `2025-11-25 server/tools#calling-tools`. */
  readonly sentence: string;
  readonly section: string;
  /** `injected`: typed in by the person. `edited`: changed by them while it was held. `file`: read from a file, which has no times. */
  readonly origin: 'peer' | 'injected' | 'edited' | 'file';
  /** The fields of the SSE event that carried it; null if none did. */
  readonly event: EventFields | null;
}

export interface EventFields {
  readonly id: string | null;
  readonly event: string | null;
  readonly retry: number | null;
}

export interface WireHttp extends Passed {
  readonly kind: 'http';
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The status of a response; null for a request. */
  readonly status: number | null;
  /** By lower-case name, without credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** As in `WireMessage`. */
  readonly sentence: string;
  readonly section: string;
}

/** An SSE event without a message. */
export interface WireEvent extends Passed {
  readonly kind: 'event';
  readonly event: EventFields;
  readonly data: string;
  /** As in `WireMessage`. */
  readonly sentence: string;
  readonly section: string;
}

/** A connection began or ended. `exchange` is null. */
export interface WireMark extends Passed {
  readonly kind: 'mark';
  readonly what: 'opened' | 'closed';
  readonly why: string;
}

export type WireEntry = WireMessage | WireHttp | WireEvent | WireMark;

/** The size and the limits of the wire log. */
export interface WireMemory {
  readonly entries: number;
  /** Approximate memory of the entries that are held. */
  readonly bytes: number;
  readonly maxEntries: number;
  readonly maxBytes: number;
  /** Dropped entries, the oldest first: the first that is held has `seq` `droppedEntries + 1`. */
  readonly droppedEntries: number;
  readonly droppedBytes: number;
}

/** A message that step mode holds. In each direction they leave in order. */
export interface HeldMessage {
  /** Counts from 1. */
  readonly held: number;
  readonly server: string;
  readonly direction: 'sent' | 'received';
  readonly at: number;
  readonly text: string;
  readonly chars: number;
  readonly whole: boolean;
  readonly sentence: string;
  readonly section: string;
}

/** Step mode of one server, and the held messages, the oldest first. While one is held, request timeouts are paused. */
export interface HoldView {
  readonly server: string;
  /** Which directions are held; both false: messages pass. */
  readonly sent: boolean;
  readonly received: boolean;
  readonly waiting: readonly HeldMessage[];
}

// ---- recordings

/** A place of a transcript that was redacted for sharing. */
export interface RedactedView {
  /** `seq` of the message on the wire. */
  readonly seq: number;
  /** JSON Pointer; '' for the whole message. */
  readonly path: string;
  readonly why: string;
}

/** A recording in progress, finished, or loaded. */
export interface RecordingView {
  readonly id: string;
  readonly title: string;
  readonly server: string | null;
  readonly state: 'recording' | 'done';
  readonly messages: number;
  /** The length of the transcript in characters. */
  readonly chars: number;
  /** The size limit was reached: later messages are missing. */
  readonly cut: boolean;
}

/** One difference found by a replay or a comparison. */
export interface DifferenceView {
  /** The line of the transcript, from 1; 0 if it belongs to no line. */
  readonly at: number;
  /** `path: expected …, got …`. */
  readonly what: string;
}

export interface ReplayView {
  readonly played: number;
  readonly differences: readonly DifferenceView[];
  /** The actual conversation, as a transcript. */
  readonly transcript: string;
}

// ---- the doctor

/** One finding of the doctor. */
export interface FindingView {
  /** Stable, such as `stdout-noise`. */
  readonly code: string;
  readonly level: 'ok' | 'note' | 'warning' | 'error';
  readonly what: string;
  /** The suggested fix; '' if none is needed. */
  readonly advice: string;
  /** The section of the specification; '' without one. */
  readonly section: string;
  /** The observed text, such as an invalid line; '' for nothing. */
  readonly evidence: string;
  /** The wire entry of the request whose answer, or missing answer, shows it; null if no single message does. */
  readonly wire: number | null;
}

// ---- the judge

/** A run of the judge on a server, replaced whole at each step. */
export interface JudgingView {
  readonly server: string;
  /** The current step; null if it is not running. */
  readonly step: string | null;
  /** The last result; null before the first. */
  readonly ruling: RulingView | null;
}

export interface RulingView {
  /** The version of the rule set. */
  readonly ruleSet: string;
  readonly quick: boolean;
  /** The revisions that the server speaks, newest first. */
  readonly revisions: readonly string[];
  readonly ms: number;
  /** Why the run stopped early; '' if it finished. */
  readonly stopped: string;
  /** Probes that could not be made. */
  readonly failures: readonly string[];
  readonly judgements: readonly JudgementView[];
}

/** The judge's verdict on one rule. */
export interface JudgementView {
  /** The rule's id, such as `tools-10`. */
  readonly rule: string;
  readonly text: string;
  readonly level: 'MUST' | 'SHOULD';
  readonly verdict: 'kept' | 'broken' | 'dispute' | 'not-applicable' | 'not-seen';
  /** As in `WireMessage`. */
  readonly section: string;
  /** Why the rule is not applicable, or which observation is missing; '' otherwise. */
  readonly why: string;
  /** For `broken` and `dispute`: at most three. */
  readonly evidence: readonly EvidenceView[];
}

export interface EvidenceView {
  readonly revision: string;
  readonly expected: string;
  /** The beginning of the actual message, or what happened instead. */
  readonly came: string;
  /** The wire entry of the decisive message. */
  readonly wire: number;
}

// ---- login

/** One step of a login, without secret values. */
export interface LoginStep {
  readonly server: string;
  readonly at: number;
  readonly step: 'challenge' | 'resource-metadata' | 'server-metadata' | 'registration' | 'consent' | 'code' | 'token' | 'refresh' | 'done' | 'failed';
  readonly what: string;
  /** Names and values for a table. */
  readonly details: Readonly<Record<string, string>>;
  /** With `consent`: the login page. Only the person opens it. */
  readonly url: string | null;
}

// ---- tasks

export interface TaskView {
  /** `server/taskId`. */
  readonly key: string;
  readonly server: string;
  readonly task: string;
  /** The tool that was called; '' if the task was found by its id. */
  readonly tool: string;
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  readonly message: string | null;
  readonly progress: ProgressView | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly result: CallToolResult | null;
  readonly failure: Failure | null;
}

// ---- memory

export interface MemoryView {
  readonly wire: WireMemory;
  /** Resident memory and used heap of the host's process, in bytes; null if the runtime does not tell. */
  readonly residentBytes: number | null;
  readonly heapBytes: number | null;
}
