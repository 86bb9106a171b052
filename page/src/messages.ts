// The only interface between the page and its host. Messages are JSON texts, one a frame. They are the same over a WebSocket (the local
// server) and over `postMessage` (the playground's worker); the page does not know which it uses.
//
//   page → host   hello, then actions, each with an id; cancel
//   host → page   welcome (the whole state), then one reply an action, and news whenever something changes
//
// Several pages (tabs) may be connected to one host. News go to all of them; a reply goes to the tab that sent the action.

import type { CompleteRequestParams, CompleteResult, LoggingLevel, ReadResourceResult, Root } from 'barewire/protocol';
import type { Lexemes } from './json/lexemes.ts';
import type {
  ActivityView, Answer, AppView, CallView, CatalogueView, DifferenceView, FindingView, HoldView, JudgingView, LoginStep, LogView, MemoryView, NewServer,
  QuestionView, RecordingView, RedactedView, ReplayView, SavedCallView, ServerView, TaskView, Target, WireEntry, WireMemory,
} from './views.ts';

export type * from './views.ts';

/** The version of these messages. If the host has another, the page asks the user to load it again. */
export const messagesVersion = 1;

/**
 * The subprotocol of the WebSocket. The page offers it together with a second one, the token: `['barewire-page', token]`. The server
 * answers with the first.
 */
export const socketProtocol = 'barewire-page';

/** One action: its parameters, and the result in its reply. */
interface Action<P, R = null> {
  readonly params: P;
  readonly result: R;
}

type One = { readonly server: string };

/** All actions of the page, by name. */
export interface Actions {
  // ---- servers
  /** Adds a server that was typed in, and starts it. Fails with `bad-config`, naming the member. */
  'server.add': Action<NewServer>;
  /** The change that would save a server added in the page to the configuration, and the path of the file. */
  'server.saving': Action<One, { readonly path: string; readonly before: string; readonly after: string }>;
  /** Writes the change of `server.saving`. `before`: the file as it was shown. Fails with `changed` if the file differs now. */
  'server.save': Action<One & { readonly before: string }>;
  /** Stops and forgets a server. A server of the configuration returns at the next start of the host. */
  'server.remove': Action<One>;
  /** The servers in the configuration of another application, one of `features.imports`, as they would be added. */
  'import.look': Action<{ readonly from: string }, { readonly paths: readonly string[]; readonly entries: readonly { readonly name: string; readonly target: Target; readonly taken: boolean }[] }>;
  /** Adds some of the servers that `import.look` returned, without starting them. */
  'import.add': Action<{ readonly from: string; readonly names: readonly string[] }>;
  /** Starts the server if it is not running. */
  'server.connect': Action<One>;
  /** Stops the server in order; it starts again when it is needed. */
  'server.stop': Action<One>;
  /** Restarts the server in any state; earlier failures are forgotten. `era` changes the era. */
  'server.reconnect': Action<One & { readonly era?: 'auto' | 'legacy' | 'modern' }, { readonly revision: string | null }>;
  /** Sends a ping and stores its time in `ServerView.latencyMs`. */
  'server.ping': Action<One, { readonly ms: number }>;
  'server.trust': Action<One & { readonly trusted: boolean }>;
  /** Adds environment or headers to a server, in memory only, from its next connection on. Omitted members stay. */
  'server.credentials': Action<One & { readonly env?: Readonly<Record<string, string>>; readonly headers?: Readonly<Record<string, string>> }>;
  /** Replaces its roots; the server is notified at once. */
  'server.roots': Action<One & { readonly roots: readonly Root[] }>;
  'server.logLevel': Action<One & { readonly level: LoggingLevel }>;
  /** Lists everything again. */
  'server.refresh': Action<One>;

  // ---- calls: the reply comes at the end of the call, `call` news before. `cancel` with the action's id cancels the call.
  /**
   * The person pressed Call. This is their consent, unless the tool changed, it declares itself destructive, a rule requires approval, or
   * `origin` says that the arguments are not theirs. `task`: call it as a task, and reply when the task has begun.
   */
  'tool.call': Action<One & {
    readonly name: string; readonly args: Readonly<Record<string, unknown>>;
    /** Numbers of `args` as they were typed, by JSON Pointer; they are sent with these digits. */
    readonly lexemes?: Lexemes;
    /** `ToolView.digest` of the definition that the person saw. Without it the call needs approval. */
    readonly digest?: string;
    readonly task?: boolean; readonly origin?: 'link' | 'file';
  }, CallView>;
  /** Saves a call under a name, replacing one of the same name. `args` is JSON. */
  'saved.save': Action<One & { readonly tool: string; readonly name: string; readonly args: string }>;
  'saved.remove': Action<One & { readonly tool: string; readonly name: string }>;
  'resource.read': Action<One & { readonly uri: string }, CallView>;
  'prompt.get': Action<One & { readonly name: string; readonly args: Readonly<Record<string, string>> }, CallView>;
  /** Cancels a call of any tab. */
  'call.cancel': Action<{ readonly call: number }>;
  /** Forgets the calls that have ended. */
  'call.clear': Action<Readonly<Record<string, never>>>;
  /** Validates arguments against the tool's input schema without a call. Faults are in the validator's words, by JSON Pointer. */
  'tool.check': Action<One & { readonly name: string; readonly args: unknown }, { readonly faults: readonly { readonly path: string; readonly what: string }[] }>;
  /** Accepts the changed definition of a tool (`ToolView.change`). A call of the tool also asks the person for this. */
  'tool.accept': Action<One & { readonly name: string }>;
  /** Completions for an argument; `settled` has the other arguments that are filled in. */
  'complete': Action<One & Pick<CompleteRequestParams, 'ref' | 'argument'> & { readonly settled?: Readonly<Record<string, string>> }, CompleteResult['completion']>;
  'resource.subscribe': Action<One & { readonly uri: string }>;
  'resource.unsubscribe': Action<One & { readonly uri: string }>;

  // ---- apps
  /** Reads the app of a call that runs or is done, and makes its sandbox. Fails with `no-such-app`. */
  'app.open': Action<{ readonly call: number }, AppView>;
  'app.close': Action<{ readonly app: string }>;
  /** Calls a tool of the app's server on request of the app: rules and consent apply, and the call is marked as the app's. */
  'app.call': Action<{ readonly app: string; readonly name: string; readonly args: Readonly<Record<string, unknown>> }, CallView>;
  'app.read': Action<{ readonly app: string; readonly uri: string }, ReadResourceResult>;

  // ---- questions
  /**
   * Fails with `answered` if another tab was first, `withdrawn` if the question was withdrawn, `bad-answer` if a form's content does not
   * match (`data.faults` as in `tool.check`; the question stays open).
   */
  'question.answer': Action<{ readonly question: string; readonly answer: Answer }>;
  /** Permissions that last longer than one call. */
  'grants.list': Action<Readonly<Record<string, never>>, readonly { readonly server: string; readonly tool: string; readonly at: number }[]>;
  'grants.revoke': Action<One & { readonly tool: string }, { readonly count: number }>;

  // ---- the wire
  /** Wire entries from number `from` (inclusive) upwards, at most `limit` (default 1,000, at most 10,000): those that `welcome` omits. */
  'wire.page': Action<{ readonly from: number; readonly limit?: number }, { readonly entries: readonly WireEntry[]; readonly memory: WireMemory }>;
  /** The whole text of a message. Fails with `dropped`. */
  'wire.text': Action<{ readonly seq: number }, { readonly text: string }>;
  /** Drops all entries. */
  'wire.clear': Action<Readonly<Record<string, never>>>;
  /** One of our requests as a command line of `curl`, for HTTP only; credentials become `$NAME`. */
  'wire.curl': Action<{ readonly seq: number }, { readonly text: string }>;
  /** Messages of one server as a transcript: `from` to `to`, both inclusive; by default all that are held. */
  'wire.transcript': Action<One & { readonly from?: number; readonly to?: number }, { readonly text: string }>;
  /** A transcript for sharing: probable secrets are redacted and listed. `messages`: the number of messages. */
  'wire.share': Action<One & { readonly from?: number; readonly to?: number }, { readonly text: string; readonly redacted: readonly RedactedView[]; readonly messages: number }>;
  /** Shows the messages of a recording on the wire, without sending anything. `server`: the name given to it there. */
  'wire.open': Action<{ readonly id: string }, { readonly server: string; readonly messages: number }>;
  /** Compares two messages member by member. */
  'wire.compare': Action<{ readonly left: number; readonly right: number }, { readonly differences: readonly string[] }>;

  // ---- step mode
  /** Holds new messages of a server in the given directions. Turning a direction off releases its held messages. */
  'hold.set': Action<One & { readonly sent: boolean; readonly received: boolean }>;
  /** Releases the first held message of a direction; `text` replaces it, unchanged. Without a direction: the oldest of both. */
  'hold.next': Action<One & { readonly direction?: 'sent' | 'received'; readonly text?: string }>;
  /** Discards the first held message of a direction. */
  'hold.drop': Action<One & { readonly direction: 'sent' | 'received' }>;
  /**
   * Sends a text that the client did not make; it may be malformed. The id of a request is replaced by a new one such as `page-1`, so
   * that no other caller gets the response. `direction` `received`: as if the server had sent it. Reply: the text that was sent, and
   * its wire entry, null if it is sent later (HTTP).
   */
  'wire.inject': Action<One & { readonly text: string; readonly direction?: 'sent' | 'received' }, { readonly seq: number | null; readonly text: string }>;

  // ---- recordings
  'record.start': Action<One & { readonly title?: string }, { readonly id: string }>;
  'record.stop': Action<{ readonly id: string }>;
  /** Loads a `.wire` file. Fails with `bad-transcript`, naming the line. */
  'record.load': Action<{ readonly title: string; readonly text: string }, { readonly id: string }>;
  'record.text': Action<{ readonly id: string }, { readonly text: string }>;
  'record.remove': Action<{ readonly id: string }>;
  /** Sends the client's messages of a recording to a server, over a separate connection, and compares the answers. */
  'record.replay': Action<{ readonly id: string; readonly server: string; readonly ignored?: readonly string[] }, ReplayView>;
  'record.compare': Action<{ readonly left: string; readonly right: string; readonly ignored?: readonly string[] }, { readonly differences: readonly DifferenceView[] }>;

  // ---- the doctor, the judge, login, tasks, logs
  /** Checks a server over separate connections. `finding` news come one by one; the reply has all. */
  'doctor.run': Action<One, { readonly findings: readonly FindingView[] }>;
  /** Checks a server against the specification, over separate connections. `judging` news report progress; replies at the end. */
  'judge.run': Action<One & { readonly quick: boolean }>;
  /** Begins a login; `login` news report each step. Replies at the end. `cancel` stops it. */
  'login.start': Action<One>;
  'login.forget': Action<One>;
  'task.cancel': Action<{ readonly key: string }>;
  /** Follows a task whose id is known, such as one from before a restart. */
  'task.find': Action<One & { readonly task: string }, { readonly key: string }>;
  'task.forget': Action<{ readonly key: string }>;
  'log.clear': Action<Readonly<Record<string, never>>>;
  /** All lines that are kept, as JSON lines. */
  'activity.export': Action<Readonly<Record<string, never>>, { readonly text: string }>;
  'memory': Action<Readonly<Record<string, never>>, MemoryView>;
}

export type ActionName = keyof Actions;
export type ParamsOf<N extends ActionName> = Actions[N]['params'];
export type ResultOf<N extends ActionName> = Actions[N]['result'];

/** The first message of a page. */
export interface Hello {
  readonly type: 'hello';
  readonly version: number;
  /** A name that this tab keeps over reconnections, such as a random UUID. */
  readonly tab: string;
}

/** The page chooses `id`, unique in its tab. */
export type ActionMessage = { [N in ActionName]: {
  readonly type: 'action'; readonly id: number; readonly name: N; readonly params: ParamsOf<N>;
} }[ActionName];

/** The page no longer waits for an action; a call is cancelled. The reply still comes, as a failure `cancelled`. */
export interface CancelMessage {
  readonly type: 'cancel';
  readonly id: number;
}

export type PageMessage = Hello | ActionMessage | CancelMessage;

/** The whole state, at the beginning and after each reconnection. */
export interface Welcome {
  readonly type: 'welcome';
  readonly version: number;
  /** `local`: a server on this machine with the user's configuration; `playground`: a worker of this page. */
  readonly carrier: 'local' | 'playground';
  /** Features of this host; the page hides the views of those that are missing. */
  readonly features: {
    /** Servers can be added in the page. */
    readonly add: boolean; readonly save: boolean; readonly login: boolean; readonly model: boolean; readonly judge: boolean;
    /** Applications from which servers can be imported. */
    readonly imports: readonly string[];
  };
  readonly barewire: string;
  readonly servers: readonly ServerView[];
  readonly catalogues: readonly CatalogueView[];
  readonly questions: readonly QuestionView[];
  /** The running calls, and the last 200 that ended. */
  readonly calls: readonly CallView[];
  readonly tasks: readonly TaskView[];
  /** Saved calls, and the path of their file; null if this host saves none. */
  readonly saved: { readonly path: string; readonly calls: readonly SavedCallView[] } | null;
  readonly holds: readonly HoldView[];
  readonly judgings: readonly JudgingView[];
  readonly recordings: readonly RecordingView[];
  readonly logins: readonly LoginStep[];
  /** The last 500. */
  readonly activity: readonly ActivityView[];
  /** The last 500. */
  readonly logs: readonly LogView[];
  /** The last 500; older ones by `wire.page`. */
  readonly wire: readonly WireEntry[];
  readonly memory: WireMemory;
}

/** Something changed or arrived. A view in it replaces the previous one. */
export type News =
  | { readonly type: 'server'; readonly server: ServerView }
  | { readonly type: 'server-removed'; readonly name: string }
  | { readonly type: 'catalogue'; readonly catalogue: CatalogueView }
  | { readonly type: 'call'; readonly call: CallView }
  | { readonly type: 'calls-cleared' }
  | { readonly type: 'saved'; readonly calls: readonly SavedCallView[] }
  | { readonly type: 'question'; readonly question: QuestionView }
  /** `by` is the `tab` that answered; null: the question was withdrawn. */
  | { readonly type: 'question-closed'; readonly id: string; readonly by: string | null }
  | { readonly type: 'activity'; readonly entries: readonly ActivityView[] }
  | { readonly type: 'logs'; readonly entries: readonly LogView[] }
  /** In the order of `seq`, collected for about 50 ms. */
  | { readonly type: 'wire'; readonly entries: readonly WireEntry[]; readonly memory: WireMemory }
  | { readonly type: 'wire-cleared'; readonly memory: WireMemory }
  | { readonly type: 'hold'; readonly hold: HoldView }
  | { readonly type: 'recording'; readonly recording: RecordingView }
  | { readonly type: 'recording-removed'; readonly id: string }
  | { readonly type: 'task'; readonly task: TaskView }
  | { readonly type: 'task-removed'; readonly key: string }
  | { readonly type: 'login'; readonly step: LoginStep }
  | { readonly type: 'finding'; readonly server: string; readonly finding: FindingView }
  | { readonly type: 'judging'; readonly judging: JudgingView }
  | { readonly type: 'resource-updated'; readonly server: string; readonly uri: string; readonly at: number }
  /** The browser blocked something for an app. */
  | { readonly type: 'app-refused'; readonly app: string; readonly what: string }
  /** An error that belongs to no action; `server` null: of the host itself. */
  | { readonly type: 'trouble'; readonly server: string | null; readonly message: string; readonly at: number };

/** The reply to an action. `code` is stable: a word of the host, or the code of the server's JSON-RPC error. */
export type Reply =
  | { readonly type: 'reply'; readonly id: number; readonly ok: true; readonly result: unknown }
  | {
    readonly type: 'reply'; readonly id: number; readonly ok: false;
    readonly error: { readonly code: number | string; readonly message: string; readonly data?: unknown };
  };

export type HostMessage = Welcome | News | Reply;

/** A connection to the host: a WebSocket, or a worker. It sends `hello` itself; `welcome` comes first. */
export interface Carrier {
  /** Messages before `welcome` or after `closed` are lost. */
  send(message: ActionMessage | CancelMessage): void;
  close(): void;
}

/** The page's side of a carrier. */
export interface CarrierReceiver {
  message(message: HostMessage): void;
  /** The connection is lost. `refused`: the token or the version is wrong, so reconnecting does not help. */
  closed(why: string, refused: boolean): void;
}

/** Opens a connection to the host. A WebSocket may be opened again after `closed`. */
export type Connect = (receiver: CarrierReceiver) => Carrier;
