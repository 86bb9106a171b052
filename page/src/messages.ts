// The one interface between the page and the host behind it. Messages are JSON texts, one a frame; they are the same over a
// WebSocket (the local server) and over a MessagePort (the playground's worker), and the page does not know which it has.
//
//   page → host   hello, then actions, each with an id; cancel
//   host → page   welcome (everything that there is), then one reply an action, and news whenever something changes
//
// Several pages (tabs) may be connected to one host. News go to all of them; replies to the one that asked.

import type { CompleteRequestParams, CompleteResult, LoggingLevel, ReadResourceResult, Root } from 'barewire/protocol';
import type { Lexemes } from './json/lexemes.ts';
import type {
  ActivityView, Answer, AppView, CallView, CatalogueView, DifferenceView, FindingView, HoldView, JudgingView, LoginStep, LogView, MemoryView, NewServer,
  QuestionView, RecordingView, RedactedView, ReplayView, SavedCallView, ServerView, TaskView, Target, WireEntry, WireMemory,
} from './views.ts';

export type * from './views.ts';

/** The version of these messages. A page that reads another one says so and asks to be loaded again. */
export const messagesVersion = 1;

/**
 * The subprotocol of the WebSocket. The page offers it together with a second one, which is the token: `['barewire-page',
 * token]`; the server answers with the first.
 */
export const socketProtocol = 'barewire-page';

/** One action: what it needs, and what its reply holds. */
interface Action<P, R = null> {
  readonly params: P;
  readonly result: R;
}

type One = { readonly server: string };

/** All that the page can ask for, by name. */
export interface Actions {
  // ---- servers
  /** Adds a server that was typed in, and starts it. Fails with `bad-config` naming the member. */
  'server.add': Action<NewServer>;
  /** What would be written to keep a server that was typed in, and where. */
  'server.saving': Action<One, { readonly path: string; readonly before: string; readonly after: string }>;
  /** Writes that. `before`: the file as it was shown; fails with `changed` where it is another now. */
  'server.save': Action<One & { readonly before: string }>;
  /** Ends it and forgets it. One of the configuration comes back with the next start of the host. */
  'server.remove': Action<One>;
  /** The servers of another application's configuration, one of `features.imports`, as they would be added. */
  'import.look': Action<{ readonly from: string }, { readonly paths: readonly string[]; readonly entries: readonly { readonly name: string; readonly target: Target; readonly taken: boolean }[] }>;
  /** Adds some of those that were looked at. None of them is started. */
  'import.add': Action<{ readonly from: string; readonly names: readonly string[] }>;
  /** Starts it where it does not run. */
  'server.connect': Action<One>;
  /** Ends it in order; it rests until it is needed. */
  'server.stop': Action<One>;
  /** Ends it and starts it anew, whatever its state; failures are forgotten. `era` changes which one is spoken. */
  'server.reconnect': Action<One & { readonly era?: 'auto' | 'legacy' | 'modern' }, { readonly revision: string | null }>;
  /** Measures one ping: `ServerView.latencyMs`. */
  'server.ping': Action<One, { readonly ms: number }>;
  'server.trust': Action<One & { readonly trusted: boolean }>;
  /** More environment or headers for a server, in memory only, from its next connection on. Undefined members stay. */
  'server.credentials': Action<One & { readonly env?: Readonly<Record<string, string>>; readonly headers?: Readonly<Record<string, string>> }>;
  /** Where it may work; it is told at once. */
  'server.roots': Action<One & { readonly roots: readonly Root[] }>;
  'server.logLevel': Action<One & { readonly level: LoggingLevel }>;
  /** Lists everything again. */
  'server.refresh': Action<One>;

  // ---- calls: the reply comes when the call ended, and `call` news tell of it meanwhile. `cancel` with the action's id cancels.
  /**
   * The person pressed Call: that is their consent, unless the tool changed, says that it destroys, a rule wants them to be asked,
   * or `origin` says that the arguments are not theirs. `task`: call it as a task, and reply when the task was begun.
   */
  'tool.call': Action<One & {
    readonly name: string; readonly args: Readonly<Record<string, unknown>>;
    /** Numbers of `args` with their digits as they were typed, by JSON Pointer: they are sent so. */
    readonly lexemes?: Lexemes;
    /** `ToolView.digest` of the definition that the person had before them. Without it they are asked. */
    readonly digest?: string;
    readonly task?: boolean; readonly origin?: 'link' | 'file';
  }, CallView>;
  /** Keeps a call under a name: `args` is JSON. One of the same name is replaced. */
  'saved.save': Action<One & { readonly tool: string; readonly name: string; readonly args: string }>;
  'saved.remove': Action<One & { readonly tool: string; readonly name: string }>;
  'resource.read': Action<One & { readonly uri: string }, CallView>;
  'prompt.get': Action<One & { readonly name: string; readonly args: Readonly<Record<string, string>> }, CallView>;
  /** Cancels a call of any tab. */
  'call.cancel': Action<{ readonly call: number }>;
  /** Forgets calls that have ended. */
  'call.clear': Action<Readonly<Record<string, never>>>;
  /** Holds arguments against the tool's input schema without calling: what the validator says, by JSON Pointer. */
  'tool.check': Action<One & { readonly name: string; readonly args: unknown }, { readonly faults: readonly { readonly path: string; readonly what: string }[] }>;
  /** Accepts a tool as it is now: `ToolView.change`. It is also asked for when the tool is called. */
  'tool.accept': Action<One & { readonly name: string }>;
  /** Values for what is being typed; `settled` are the other arguments that have theirs. */
  'complete': Action<One & Pick<CompleteRequestParams, 'ref' | 'argument'> & { readonly settled?: Readonly<Record<string, string>> }, CompleteResult['completion']>;
  'resource.subscribe': Action<One & { readonly uri: string }>;
  'resource.unsubscribe': Action<One & { readonly uri: string }>;

  // ---- apps
  /** Reads the app of a call that runs or is done, and makes its sandbox. Fails with `no-such-app`. */
  'app.open': Action<{ readonly call: number }, AppView>;
  'app.close': Action<{ readonly app: string }>;
  /** A tool of the app's own server, as the app asks for it: by rules and consent, tagged with its origin. */
  'app.call': Action<{ readonly app: string; readonly name: string; readonly args: Readonly<Record<string, unknown>> }, CallView>;
  'app.read': Action<{ readonly app: string; readonly uri: string }, ReadResourceResult>;

  // ---- questions
  /** Fails with `answered` where another tab was first, with `withdrawn` where nobody waits any longer, with `bad-answer` where a form's content does not fit (`data.faults` as of `tool.check`; the question stays open). */
  'question.answer': Action<{ readonly question: string; readonly answer: Answer }>;
  /** What was allowed for longer than one call. */
  'grants.list': Action<Readonly<Record<string, never>>, readonly { readonly server: string; readonly tool: string; readonly at: number }[]>;
  'grants.revoke': Action<One & { readonly tool: string }, { readonly count: number }>;

  // ---- the wire
  /** Entries from `from` (inclusive) upwards, at most `limit` (1,000 by default): what `welcome` left out. */
  'wire.page': Action<{ readonly from: number; readonly limit?: number }, { readonly entries: readonly WireEntry[]; readonly memory: WireMemory }>;
  /** The whole text of a message. Fails with `dropped`. */
  'wire.text': Action<{ readonly seq: number }, { readonly text: string }>;
  /** Lets everything go that is held. */
  'wire.clear': Action<Readonly<Record<string, never>>>;
  /** A request of ours as a command line of `curl`, over HTTP only; credentials are `$NAME`. */
  'wire.curl': Action<{ readonly seq: number }, { readonly text: string }>;
  /** Messages of one server as a transcript: `from` to `to`, both inclusive; without them all that is held. */
  'wire.transcript': Action<One & { readonly from?: number; readonly to?: number }, { readonly text: string }>;
  /** The same to be handed on: what looks like a secret is redacted, and named. `messages`: how many it has. */
  'wire.share': Action<One & { readonly from?: number; readonly to?: number }, { readonly text: string; readonly redacted: readonly RedactedView[]; readonly messages: number }>;
  /** Puts the messages of a recording on the wire, to be read: nothing of them is sent. `server`: the name under which they stand there. */
  'wire.open': Action<{ readonly id: string }, { readonly server: string; readonly messages: number }>;
  /** Two messages, member by member. */
  'wire.compare': Action<{ readonly left: number; readonly right: number }, { readonly differences: readonly string[] }>;

  // ---- step mode
  /** Holds messages of a server from now on, or lets them pass; letting pass releases all that are held. */
  'hold.set': Action<One & { readonly sent: boolean; readonly received: boolean }>;
  /** Lets the first held message of a direction go; `text`: this in its place, as it stands. Without a direction the oldest of all. */
  'hold.next': Action<One & { readonly direction?: 'sent' | 'received'; readonly text?: string }>;
  /** Throws the first held message of a direction away. */
  'hold.drop': Action<One & { readonly direction: 'sent' | 'received' }>;
  /**
   * Sends a text that the client did not make, malformed too. Ids of readable requests are made to begin with `page-`, so
   * that no caller gets their answer. `direction` `received`: as if the server had sent it. Reply: the text as it went, and
   * its wire entry, null where it passes later (HTTP).
   */
  'wire.inject': Action<One & { readonly text: string; readonly direction?: 'sent' | 'received' }, { readonly seq: number | null; readonly text: string }>;

  // ---- recordings
  'record.start': Action<One & { readonly title?: string }, { readonly id: string }>;
  'record.stop': Action<{ readonly id: string }>;
  /** A `.wire` file. Fails with `bad-transcript` naming the line. */
  'record.load': Action<{ readonly title: string; readonly text: string }, { readonly id: string }>;
  'record.text': Action<{ readonly id: string }, { readonly text: string }>;
  'record.remove': Action<{ readonly id: string }>;
  /** Plays the client's side against a server, over a connection of its own, and compares. */
  'record.replay': Action<{ readonly id: string; readonly server: string; readonly ignored?: readonly string[] }, ReplayView>;
  'record.compare': Action<{ readonly left: string; readonly right: string; readonly ignored?: readonly string[] }, { readonly differences: readonly DifferenceView[] }>;

  // ---- the doctor, the judge, login, tasks, logs
  /** Looks a server over, on a connection of its own. `finding` news come one by one; the reply has all. */
  'doctor.run': Action<One, { readonly findings: readonly FindingView[] }>;
  /** Judges a server by the rules of the specification, on connections of its own. `judging` news tell of it; replies when it is over. */
  'judge.run': Action<One & { readonly quick: boolean }>;
  /** Begins to log in; `login` news tell each step. Replies when it is over. `cancel` stops it. */
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
  /** A name for this tab that it keeps over reconnections, such as a random UUID. */
  readonly tab: string;
}

/** `id` is of the page's choice, unique in this tab. */
export type ActionMessage = { [N in ActionName]: {
  readonly type: 'action'; readonly id: number; readonly name: N; readonly params: ParamsOf<N>;
} }[ActionName];

/** The page no longer waits for an action: a call is cancelled. The reply still comes, as a failure `cancelled`. */
export interface CancelMessage {
  readonly type: 'cancel';
  readonly id: number;
}

export type PageMessage = Hello | ActionMessage | CancelMessage;

/** Everything that there is, at the beginning and again after each reconnection. */
export interface Welcome {
  readonly type: 'welcome';
  readonly version: number;
  /** `local`: a server on this machine with the user's configuration; `playground`: a worker in this very page. */
  readonly carrier: 'local' | 'playground';
  /** What this host can do; views of what it cannot are not shown. */
  readonly features: {
    /** Servers can be typed in. */
    readonly add: boolean; readonly save: boolean; readonly login: boolean; readonly model: boolean; readonly judge: boolean;
    /** Applications whose servers can be imported. */
    readonly imports: readonly string[];
  };
  readonly barewire: string;
  readonly servers: readonly ServerView[];
  readonly catalogues: readonly CatalogueView[];
  readonly questions: readonly QuestionView[];
  /** Running, and the last 200 that ended. */
  readonly calls: readonly CallView[];
  readonly tasks: readonly TaskView[];
  /** Calls that are kept under a name, and where; null: this host keeps none. */
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

/** Something changed, or came. What carries a view replaces the one that the page has. */
export type News =
  | { readonly type: 'server'; readonly server: ServerView }
  | { readonly type: 'server-removed'; readonly name: string }
  | { readonly type: 'catalogue'; readonly catalogue: CatalogueView }
  | { readonly type: 'call'; readonly call: CallView }
  | { readonly type: 'calls-cleared' }
  | { readonly type: 'saved'; readonly calls: readonly SavedCallView[] }
  | { readonly type: 'question'; readonly question: QuestionView }
  /** `by` is the `tab` that answered; null: it was withdrawn. */
  | { readonly type: 'question-closed'; readonly id: string; readonly by: string | null }
  | { readonly type: 'activity'; readonly entries: readonly ActivityView[] }
  | { readonly type: 'logs'; readonly entries: readonly LogView[] }
  /** In the order of `seq`, gathered for some 50 ms. */
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
  /** Something went wrong that no action waits for; `server` null: of the host itself. */
  /** The browser kept an app from something. */
  | { readonly type: 'app-refused'; readonly app: string; readonly what: string }
  | { readonly type: 'trouble'; readonly server: string | null; readonly message: string; readonly at: number };

/** The reply to an action. `code` is stable: a word of the host's, or a number of the protocol where a server answered so. */
export type Reply =
  | { readonly type: 'reply'; readonly id: number; readonly ok: true; readonly result: unknown }
  | {
    readonly type: 'reply'; readonly id: number; readonly ok: false;
    readonly error: { readonly code: number | string; readonly message: string; readonly data?: unknown };
  };

export type HostMessage = Welcome | News | Reply;

/** A way to the host: a WebSocket, or a port. It has said `hello` by itself; `welcome` comes first. */
export interface Carrier {
  /** What is sent before `welcome` has come, or after `closed`, is lost. */
  send(message: ActionMessage | CancelMessage): void;
  close(): void;
}

/** What a carrier tells the page. */
export interface CarrierReceiver {
  message(message: HostMessage): void;
  /** The way is lost. `refused`: the token is wrong, or the version, and opening it again does not help. */
  closed(why: string, refused: boolean): void;
}

/** Opens a way to the host. A WebSocket may be opened again after `closed`; the playground's worker never closes. */
export type Connect = (receiver: CarrierReceiver) => Carrier;
