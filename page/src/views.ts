// What the page shows, as JSON. The host sends these whole whenever one of them changes: the page keeps no rule of its own,
// only the last view of each thing. Times are milliseconds since the epoch, durations milliseconds.

import type {
  CallToolResult, CreateMessageRequestParams, CreateMessageResult, ElicitRequestFormParams, GetPromptResult, Implementation,
  LoggingLevel, Prompt, ReadResourceResult, Resource, ResourceTemplate, Root, ServerCapabilities, Tool,
} from 'barewire/protocol';
import type { AppResourceMeta } from 'barewire/apps';
import type { ToolSelection } from 'barewire/host';
import type { Lexemes } from './json/lexemes.ts';

// ---- servers

/** `resting`: not started, or ended in order. `down`: it died. `broken`: it died so often that it is left alone for a while. */
export type ServerState = 'resting' | 'starting' | 'ready' | 'down' | 'broken';

/** Where a server is. Values of the environment and of headers never leave the host: only their names are shown. */
export type Target =
  | { readonly kind: 'program'; readonly command: string; readonly args: readonly string[]; readonly cwd: string | null; readonly env: readonly string[] }
  | { readonly kind: 'address'; readonly url: string; readonly headers: readonly string[] }
  /** The server of the playground, in the page's own worker. */
  | { readonly kind: 'worker'; readonly title: string };

export interface ServerView {
  /** Its name in the configuration; the page's key for it. */
  readonly name: string;
  readonly target: Target;
  readonly source: 'configuration' | 'typed';
  readonly state: ServerState;
  /** Why it is down or broken; '' otherwise. */
  readonly why: string;
  readonly disabled: boolean;
  /** The user's word that its annotations may be believed. */
  readonly trusted: boolean;
  /** The revisions that may be spoken with it: all, or one era. */
  readonly era: 'auto' | 'legacy' | 'modern';
  /** What was agreed at the last connection; null before the first. */
  readonly agreed: {
    readonly revision: string;
    readonly era: 'legacy' | 'modern';
    readonly server: Implementation | null;
    readonly capabilities: ServerCapabilities;
    readonly instructions: string | null;
  } | null;
  /** What our client said at its last connection that it can; null before it said so. */
  readonly declared: Readonly<Record<string, unknown>> | null;
  /** How often it was started again after it died. */
  readonly restarts: number;
  /** Counts its connections from 1; 0: there was none. Wire entries name it. */
  readonly connection: number;
  readonly readySince: number | null;
  /** From the start to the handshake's end, and of the last answer to a ping; null where there was none. */
  readonly startMs: number | null;
  readonly latencyMs: number | null;
  readonly roots: readonly Root[];
  readonly logLevel: LoggingLevel | null;
  /** Resources that are subscribed to. */
  readonly subscriptions: readonly string[];
  readonly login: 'none' | 'needed' | 'under-way' | 'done';
  /** Requests of ours that have no answer yet. */
  readonly inFlight: number;
}

/** What the user types in to add a server. */
export interface NewServer {
  readonly name: string;
  /** As in `mcpServers`: `command`, `args`, `env`, `cwd`, or `url`, `headers`. `env` and `headers` are kept in memory only. */
  readonly target:
    | { readonly command: string; readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>>; readonly cwd?: string }
    | { readonly url: string; readonly headers?: Readonly<Record<string, string>> };
  readonly trusted?: boolean;
  readonly era?: 'auto' | 'legacy' | 'modern';
  readonly roots?: readonly Root[];
  /** Which of its tools are offered. Default: all. */
  readonly tools?: ToolSelection;
}

// ---- the catalogue

/** Where a tool stands to what was accepted. `changed`, `renamed`: it waits for the person, see `QuestionView` `change`. */
export interface ToolView {
  readonly tool: Tool;
  /** Unique over all servers: `server/tool`. */
  readonly name: string;
  readonly digest: string;
  readonly pin: 'accepted' | 'changed' | 'renamed';
  /** How it differs from what was accepted; null where it does not. `tool` is then what was accepted, if anything was. */
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
  /** Counts the listings of this server from 1: it grows when `listChanged` was followed. */
  readonly listing: number;
}

// ---- calls

export interface ProgressView {
  readonly progress: number;
  readonly total: number | null;
  readonly message: string | null;
}

/** Why something did not work. `code` of the protocol where a peer answered so, else a word. */
export interface Failure {
  readonly code: number | string;
  readonly message: string;
  readonly data?: unknown;
}

export type CallState = 'waiting' | 'running' | 'done' | 'failed' | 'refused' | 'cancelled';

/** One call of a tool, read of a resource or get of a prompt. All tabs see all of them, and they outlive a tab. */
export interface CallView {
  /** Counts from 1 in this host. */
  readonly call: number;
  readonly server: string;
  readonly about:
    /** `lexemes`: numbers of `args` as they were typed, by JSON Pointer. `app`: an app asked for it. */
    | { readonly kind: 'tool'; readonly name: string; readonly args: Readonly<Record<string, unknown>>; readonly lexemes?: Lexemes; readonly app?: true }
    | { readonly kind: 'resource'; readonly uri: string }
    | { readonly kind: 'prompt'; readonly name: string; readonly args: Readonly<Record<string, string>> };
  /** `waiting`: for a rule or the person; `running`: it was sent. */
  readonly state: CallState;
  readonly progress: ProgressView | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** The id of the task that it became; null: none. */
  readonly task: string | null;
  /** With `done`. */
  readonly result: CallToolResult | ReadResourceResult | GetPromptResult | null;
  /** With `failed`, `refused`, `cancelled`. */
  readonly failure: Failure | null;
  /** The result does not fit its declared output schema, in the validator's words; '' where it does. */
  readonly outputFault: string;
  /** The wire entry of its last request, to be shown beside it; null: none was sent. */
  readonly wire: number | null;
}

/** An app, as it was read and checked: what the page needs to show it. */
export interface AppView {
  /** Its key for other actions. */
  readonly app: string;
  readonly uri: string;
  /** Where its sandbox is: a port, and a path there. */
  readonly port: number;
  readonly path: string;
  readonly html: string;
  readonly meta: AppResourceMeta;
  /** What of its declaration was left out. */
  readonly faults: readonly string[];
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
  /** The call that it shows, which may still run. */
  readonly call: number;
}

/** A call that is kept under a name. */
export interface SavedCallView {
  readonly server: string;
  readonly tool: string;
  readonly name: string;
  /** JSON with its own tokens. */
  readonly args: string;
  /** It was saved here since the host began; else it is from the file, and the first call with it is asked about. */
  readonly own: boolean;
}

// ---- questions

interface Asked {
  /** Answer it by this. */
  readonly id: string;
  /** The server that asks, or whose tool is about to be called. */
  readonly server: string;
  readonly askedAt: number;
  /** Until when an answer counts, as far as is known here; null: nothing here ends it. */
  readonly until: number | null;
  /** The tools of this server whose calls run: one of them asks. Absent where the server need not be asking for a tool. */
  readonly tools?: readonly string[];
}

/** The host waits for the person. Every tab shows it; the first answer counts. */
export type QuestionView = Asked & (
  | { readonly kind: 'form'; readonly message: string; readonly schema: ElicitRequestFormParams['requestedSchema'] }
  /** `host` is the URL's host. Only http and https arrive here. */
  | { readonly kind: 'url'; readonly message: string; readonly url: string; readonly host: string }
  /** `hasModel`: a model answers; else the person does, with `byHand`. */
  | { readonly kind: 'sampling'; readonly params: CreateMessageRequestParams; readonly hasModel: boolean }
  /** The answer before it is sent. */
  | { readonly kind: 'sampling-answer'; readonly params: CreateMessageRequestParams; readonly answer: CreateMessageResult }
  | {
    readonly kind: 'approval';
    readonly tool: Tool;
    readonly args: Readonly<Record<string, unknown>>;
    /** Numbers of `args` as they were typed. */
    readonly lexemes: Lexemes;
    /** With the specification's defaults for what the server does not say. */
    readonly annotations: {
      readonly readOnlyHint: boolean; readonly destructiveHint: boolean; readonly idempotentHint: boolean; readonly openWorldHint: boolean;
    };
    /** The server says something of the tool; else all of `annotations` are the specification's. */
    readonly annotated: boolean;
    readonly trusted: boolean;
    readonly digest: string;
    /** `destructive`: the server says that it destroys. `link`, `file`: where the arguments are from. `app`: an app asks for it. */
    readonly why: 'rule' | 'default' | 'changed-while-shown' | 'too-late' | 'destructive' | 'link' | 'file' | 'app';
  }
  | { readonly kind: 'change'; readonly change: ChangeView }
);

/** A tool that is not what was accepted. */
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
  /** `params`: the request as it was edited. `byHand`: the answer, where the person answers in the place of a model. */
  | { readonly kind: 'sampling'; readonly allow: true; readonly params?: CreateMessageRequestParams; readonly byHand?: CreateMessageResult }
  | { readonly kind: 'sampling-answer'; readonly allow: true; readonly answer?: CreateMessageResult }
  | { readonly kind: 'sampling'; readonly allow: false; readonly reason?: string }
  | { readonly kind: 'sampling-answer'; readonly allow: false; readonly reason?: string }
  | { readonly kind: 'approval'; readonly allow: 'once' | 'session' | 'always' }
  | { readonly kind: 'approval'; readonly allow: false; readonly reason?: string }
  | { readonly kind: 'change'; readonly accept: boolean };

// ---- activity and logs

/** One line of the activity log. Members beside these are what the kind is about; secrets are redacted. */
export interface ActivityView {
  readonly seq: number;
  readonly at: number;
  readonly kind: 'server' | 'asked' | 'decided' | 'sent' | 'answered' | 'failed' | 'unknown' | 'question' | 'pin' | 'roots' | 'sampling' | 'skill' | 'app';
  readonly server?: string;
  readonly tool?: string;
  readonly [detail: string]: unknown;
}

/** What a server logged: by the protocol, or as a line of its stderr, which has no level. */
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
  /** Counts from 1 over all servers, without a gap. Entries that were dropped are the lowest. */
  readonly seq: number;
  readonly at: number;
  readonly server: string;
  /** Which connection of this server, from 1. */
  readonly connection: number;
  /** Seen from the host: `sent` is what our client said. */
  readonly direction: 'sent' | 'received';
  /** Over HTTP: the same number for a request, its response and what they carry. Null elsewhere. */
  readonly exchange: number | null;
}

export interface WireMessage extends Passed {
  readonly kind: 'message';
  /** As it passed, or its first 16,384 characters: `whole` says which. The rest by `wire.text`. */
  readonly text: string;
  readonly chars: number;
  readonly whole: boolean;
  readonly shape: 'request' | 'notification' | 'result' | 'error' | 'batch' | 'unreadable';
  /** Its own method, or that of the request that it answers; '' where none is known. */
  readonly method: string;
  /** The JSON-RPC id, as JSON; '' for none. */
  readonly rpcId: string;
  /** Of an answer: `seq` of the request that it answers, and the time between. Of progress: the request that it is about. */
  readonly answers: number | null;
  readonly ms: number | null;
  /** What it is, in one line, and the section of the specification that says so, such as `2025-11-25 server/tools#calling-tools`. */
  readonly sentence: string;
  readonly section: string;
  /** Not from the client or the server: typed in by the person, edited while it was held, or read from a file, which holds no times. */
  readonly origin: 'peer' | 'injected' | 'edited' | 'file';
  /** Of the event that carried it over HTTP; null: none did. */
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
  /** Of a response; null: it is a request. */
  readonly status: number | null;
  /** By lower-case name; credentials are left out. */
  readonly headers: Readonly<Record<string, string>>;
  /** As of a message. */
  readonly sentence: string;
  readonly section: string;
}

/** An event that carries no message. */
export interface WireEvent extends Passed {
  readonly kind: 'event';
  readonly event: EventFields;
  readonly data: string;
  /** As of a message. */
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

/** What the wire view holds. */
export interface WireMemory {
  readonly entries: number;
  /** Of the texts that are held: about what they take in memory. */
  readonly bytes: number;
  readonly maxEntries: number;
  readonly maxBytes: number;
  /** Entries that were let go, from the oldest on: the first that is held is `droppedEntries + 1`. */
  readonly droppedEntries: number;
  readonly droppedBytes: number;
}

/** A message that is held in step mode. In each direction the first must go before the second. */
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

/** Step mode of one server, and what it holds, the oldest first. While something is held, the clocks of requests stand still. */
export interface HoldView {
  readonly server: string;
  /** Which directions are held; both false: messages pass. */
  readonly sent: boolean;
  readonly received: boolean;
  readonly waiting: readonly HeldMessage[];
}

// ---- recordings

/** A place of a transcript that was redacted before it is shared. */
export interface RedactedView {
  /** Of the message on the wire. */
  readonly seq: number;
  /** JSON Pointer; '' for the whole. */
  readonly path: string;
  readonly why: string;
}

/** A recording that is being made, was made, or was loaded. */
export interface RecordingView {
  readonly id: string;
  readonly title: string;
  readonly server: string | null;
  readonly state: 'recording' | 'done';
  readonly messages: number;
  /** Bytes of the transcript. */
  readonly bytes: number;
  /** More passed than is held: what came after was left out. */
  readonly cut: boolean;
}

/** What a replay or a comparison found. */
export interface DifferenceView {
  /** The transcript's line, from 1; 0: no line says such a thing. */
  readonly at: number;
  /** `path: expected …, got …`. */
  readonly what: string;
}

export interface ReplayView {
  readonly played: number;
  readonly differences: readonly DifferenceView[];
  /** What came instead, as a transcript. */
  readonly transcript: string;
}

// ---- the doctor

/** One thing that the doctor looked at. */
export interface FindingView {
  /** Stable, such as `stdout-noise`. */
  readonly code: string;
  readonly level: 'ok' | 'note' | 'warning' | 'error';
  readonly what: string;
  /** What to do; '' where nothing is to be done. */
  readonly advice: string;
  /** The section of the specification; '' where none says it. */
  readonly section: string;
  /** What was seen, such as the line that is no message; '' for nothing. */
  readonly evidence: string;
  /** The wire entry of the request whose answer, or silence, shows it; null: no single message does. */
  readonly wire: number | null;
}

// ---- the judge

/** A run of the judge over a server: it is replaced whole at each step. */
export interface JudgingView {
  readonly server: string;
  /** What it does at the moment; null: it does nothing. */
  readonly step: string | null;
  /** The last result; null: nothing has come yet. */
  readonly ruling: RulingView | null;
}

export interface RulingView {
  /** The version of the rule set. */
  readonly ruleSet: string;
  readonly quick: boolean;
  /** Those that the server speaks, newest first. */
  readonly revisions: readonly string[];
  readonly ms: number;
  /** What kept the run from going on; '' where it went through. */
  readonly stopped: string;
  /** Probes that could not be made. */
  readonly failures: readonly string[];
  readonly judgements: readonly JudgementView[];
}

/** What was said of one rule. */
export interface JudgementView {
  /** The rule's id, such as `tools-10`. */
  readonly rule: string;
  readonly text: string;
  readonly level: 'MUST' | 'SHOULD';
  readonly verdict: 'kept' | 'broken' | 'dispute' | 'not-applicable' | 'not-seen';
  /** As of a message. */
  readonly section: string;
  /** Why it is not applicable, or what it would have needed to be seen; '' otherwise. */
  readonly why: string;
  /** Of a broken rule or a dispute: at most three. */
  readonly evidence: readonly EvidenceView[];
}

export interface EvidenceView {
  readonly revision: string;
  readonly expected: string;
  /** What came, or what happened: its beginning. */
  readonly came: string;
  /** The wire entry of the message that decided. */
  readonly wire: number;
}

// ---- login

/** One step of a login. Values that are secret are never in it. */
export interface LoginStep {
  readonly server: string;
  readonly at: number;
  readonly step: 'challenge' | 'resource-metadata' | 'server-metadata' | 'registration' | 'consent' | 'code' | 'token' | 'refresh' | 'done' | 'failed';
  readonly what: string;
  /** Names and values for a table. */
  readonly details: Readonly<Record<string, string>>;
  /** With `consent`: where the person goes, opened only by them. */
  readonly url: string | null;
}

// ---- tasks

export interface TaskView {
  /** `server/taskId`. */
  readonly key: string;
  readonly server: string;
  readonly task: string;
  /** The tool that was called; '' where the task was found again. */
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
  /** Of the host's process: resident and used heap, in bytes; null where the runtime does not say. */
  readonly residentBytes: number | null;
  readonly heapBytes: number | null;
}
