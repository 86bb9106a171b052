// The state of the page, as signals. The host sends views whole; the page keeps the last of each.
import { batch, computed, signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import type {
  ActionName, ActivityView, CallView, CatalogueView, Connect, FindingView, HoldView, JudgementView, JudgingView, LoginStep, LogView, News, ParamsOf, QuestionView,
  RecordingView, ResultOf, SavedCallView, ServerView, TaskView, Welcome,
} from '../messages.ts';
import { Drafts } from './form/drafts.ts';
import { ActionError, HostLink } from './host-link.ts';
import { Notices } from './notices.ts';
import type { Notice } from './notices.ts';
import type { PageParts } from './page-parts.ts';
import type { DockTab, Tab } from './tabs.ts';
import { noFilter, WireStore } from './wire/wire-store.ts';

// Lists are cut at the front; the host keeps older entries.
const MAX_LINES = 5_000;
/** Larger files are not read. */
const maxFileBytes = 8 * 1024 * 1024;

type Table<V> = Signal<ReadonlyMap<string, V>>;
const table = <V>(): Table<V> => signal<ReadonlyMap<string, V>>(new Map());
const by = <V>(views: readonly V[], key: (view: V) => string): ReadonlyMap<string, V> => new Map(views.map((view) => [key(view), view]));
const put = <V>(into: Table<V>, key: string, view: V): void => {
  into.value = new Map(into.value).set(key, view);
};
const drop = <V>(from: Table<V>, key: string): void => {
  from.value = new Map([...from.value].filter(([one]) => one !== key));
};
const callKey = ({ call }: CallView): string => String(call);

/** The words for a screen reader when a call ends. */
function endedWords({ server, about, state, result }: CallView): string {
  const failed = state === 'done' && (Object(result) as { readonly isError?: unknown }).isError === true;
  return `${server}: ${about.kind === 'resource' ? about.uri : about.name} ${failed ? 'failed, as the tool says' : state}`;
}

/** A finding of the doctor or the judge about one message. */
export interface Verdict {
  readonly by: 'doctor' | 'judge';
  readonly level: FindingView['level'];
  /** The finding's code, or the rule's id. */
  readonly code: string;
  readonly what: string;
  readonly more: string;
  /** '' for none. */
  readonly section: string;
}

const judgeVerdict = ({ verdict, level, rule, text, section }: JudgementView, expected: string): Verdict =>
  ({ by: 'judge', level: verdict === 'dispute' ? 'note' : level === 'MUST' ? 'error' : 'warning', code: rule, what: text, more: `Expected: ${expected}`, section });

export class State {
  readonly link: HostLink;
  readonly parts: PageParts;
  /** Undefined before the first `welcome`. */
  readonly welcome: Signal<Welcome | undefined> = signal(undefined);
  /** Why the connection to the host is lost; undefined while there is one. */
  readonly lost: Signal<{ readonly why: string; readonly final: boolean } | undefined> = signal(undefined);
  readonly servers: Table<ServerView> = table();
  readonly catalogues: Table<CatalogueView> = table();
  readonly calls: Table<CallView> = table();
  readonly questions: Table<QuestionView> = table();
  readonly tasks: Table<TaskView> = table();
  readonly holds: Table<HoldView> = table();
  readonly recordings: Table<RecordingView> = table();
  /** Undefined if the host saves no calls. */
  readonly saved: Signal<{ readonly path: string; readonly calls: readonly SavedCallView[] } | undefined> = signal(undefined);
  readonly logins: Signal<readonly LoginStep[]> = signal([]);
  readonly activity: Signal<readonly ActivityView[]> = signal([]);
  readonly logs: Signal<readonly LogView[]> = signal([]);
  readonly findings: Table<readonly FindingView[]> = table();
  readonly judgings: Table<JudgingView> = table();
  /** When a subscribed resource was last updated, by `server uri`. */
  readonly updated: Table<number> = table();
  /** The last thing that the browser blocked for an app. */
  readonly appRefused: Signal<{ readonly app: string; readonly what: string } | undefined> = signal(undefined);
  readonly notices: Notices = new Notices();
  readonly wire: WireStore = new WireStore();
  readonly drafts: Drafts = new Drafts();

  readonly server: Signal<string> = signal('');
  readonly tab: Signal<Tab> = signal<Tab>('overview');
  readonly dock: Signal<DockTab> = signal<DockTab>('wire');
  /** On a narrow screen only one of the two halves is shown. */
  readonly half: Signal<'work' | 'dock'> = signal<'work' | 'dock'>('work');
  /** The person postponed the open questions to look at the server. */
  readonly later: Signal<boolean> = signal(false);
  /** The selected item of a list, by `server tab`. */
  readonly picked: Table<string> = table();
  /** Arguments from the address, for the view of the tool. */
  readonly linked: Signal<{ readonly server: string; readonly tool: string; readonly args: string } | undefined> = signal(undefined);
  /** The current text for screen readers. */
  readonly announcement: Signal<string> = signal('');

  readonly current: ReadonlySignal<ServerView | undefined> = computed(() => this.servers.value.get(this.server.value));
  /**
   * Findings by `seq` of a message: the doctor's by the request that shows them, the judge's (broken or disputed rules) by the decisive
   * message.
   */
  readonly verdicts: ReadonlySignal<ReadonlyMap<number, readonly Verdict[]>> = computed(() => {
    const found = new Map<number, Verdict[]>();
    const add = (seq: number | null, one: Verdict): void => {
      if (seq) found.set(seq, [...found.get(seq) ?? [], one]);
    };
    for (const { wire, level, code, what, advice } of [...this.findings.value.values()].flat()) add(wire, { by: 'doctor', level, code, what, more: advice, section: '' });
    for (const { ruling } of this.judgings.value.values()) for (const one of ruling?.judgements ?? []) for (const { wire, expected } of one.evidence) add(wire, judgeVerdict(one, expected));
    return found;
  });
  readonly catalogue: ReadonlySignal<CatalogueView | undefined> = computed(() => this.catalogues.value.get(this.server.value));

  constructor(connect: Connect, parts: PageParts) {
    this.parts = parts;
    this.link = new HostLink(connect, {
      welcome: (welcome) => batch(() => this.#welcomed(welcome)),
      news: (news) => batch(() => this.#heard(news)),
      lost: (why, final) => {
        this.lost.value = { why, final };
      },
    });
  }

  #welcomed(welcome: Welcome): void {
    this.welcome.value = welcome;
    this.lost.value = undefined;
    this.servers.value = by(welcome.servers, ({ name }) => name);
    this.catalogues.value = by(welcome.catalogues, ({ server }) => server);
    this.questions.value = by(welcome.questions, ({ id }) => id);
    this.calls.value = by(welcome.calls, callKey);
    this.saved.value = welcome.saved ?? undefined;
    this.tasks.value = by(welcome.tasks, ({ key }) => key);
    this.judgings.value = by(welcome.judgings, ({ server }) => server);
    this.holds.value = by(welcome.holds, ({ server }) => server);
    this.recordings.value = by(welcome.recordings, ({ id }) => id);
    this.logins.value = welcome.logins;
    this.activity.value = welcome.activity;
    this.logs.value = welcome.logs;
    this.wire.begin(welcome.wire, welcome.memory);
    // The playground has one server in a worker, so it is started at once.
    if (welcome.carrier === 'playground') for (const { name } of welcome.servers) void this.run('server.connect', { server: name });
    if (!this.servers.value.has(this.server.value)) this.server.value = welcome.servers[0]?.name ?? '';
  }

  #heard(news: News): void {
    switch (news.type) {
      case 'server': {
        put(this.servers, news.server.name, news.server);
        if (news.server.state === 'ready') this.notices.well(news.server.name);
        if (this.server.value === '') this.server.value = news.server.name;
        break;
      }
      case 'server-removed': {
        drop(this.servers, news.name);
        this.notices.well(news.name);
        drop(this.catalogues, news.name);
        drop(this.judgings, news.name);
        if (this.server.value === news.name) this.server.value = [...this.servers.value.keys()][0] ?? '';
        break;
      }
      case 'catalogue': put(this.catalogues, news.catalogue.server, news.catalogue); break;
      case 'call': {
        if (news.call.endedAt !== null && this.calls.value.get(callKey(news.call))?.endedAt === null) this.announcement.value = endedWords(news.call);
        put(this.calls, callKey(news.call), news.call);
        break;
      }
      case 'saved': {
        if (this.saved.value) this.saved.value = { ...this.saved.value, calls: news.calls };
        break;
      }
      case 'calls-cleared': {
        this.calls.value = by([...this.calls.value.values()].filter(({ endedAt }) => endedAt === null), callKey);
        break;
      }
      case 'question': {
        put(this.questions, news.question.id, news.question);
        this.later.value = false;
        this.half.value = 'work';
        this.announcement.value = `New question from ${news.question.server}`;
        break;
      }
      case 'question-closed': drop(this.questions, news.id); break;
      case 'activity': this.activity.value = [...this.activity.value, ...news.entries].slice(-MAX_LINES); break;
      case 'logs': this.logs.value = [...this.logs.value, ...news.entries].slice(-MAX_LINES); break;
      case 'wire': this.wire.add(news.entries, news.memory); break;
      case 'wire-cleared': this.wire.begin([], news.memory); break;
      case 'hold': put(this.holds, news.hold.server, news.hold); break;
      case 'recording': put(this.recordings, news.recording.id, news.recording); break;
      case 'recording-removed': drop(this.recordings, news.id); break;
      case 'task': put(this.tasks, news.task.key, news.task); break;
      case 'task-removed': drop(this.tasks, news.key); break;
      case 'login': this.logins.value = [...this.logins.value, news.step].slice(-MAX_LINES); break;
      case 'finding': put(this.findings, news.server, [...this.findings.value.get(news.server) ?? [], news.finding]); break;
      case 'judging': put(this.judgings, news.judging.server, news.judging); break;
      case 'resource-updated': put(this.updated, `${news.server} ${news.uri}`, news.at); break;
      case 'app-refused': this.appRefused.value = { app: news.app, what: news.what }; break;
      case 'trouble': this.tell(`${news.server === null ? '' : `${news.server}: `}${news.message}`, 'bad', news.server ?? ''); break;
    }
  }

  /** Sends an action, and shows a notice if it fails. The result is then undefined. */
  async run<N extends ActionName>(name: N, params: ParamsOf<N>): Promise<ResultOf<N> | undefined> {
    const { server } = params as { readonly server?: string };
    const about = `${name} ${server ?? ''}`;
    try {
      const done = await this.link.act(name, params);
      this.notices.well(about);
      return done;
    } catch (thrown) {
      if (thrown instanceof ActionError && thrown.failure.code !== 'cancelled') this.tell(thrown.message, 'bad', name.startsWith('server.') && server !== undefined ? server : about);
      return undefined;
    }
  }

  tell(text: string, tone: Notice['tone'] = 'info', about = ''): void {
    this.notices.tell(text, tone, about);
  }

  /** Shows a server, one of its views, and one item in it; '' keeps the selected item. */
  visit(server: string, tab: Tab = 'overview', name: string = ''): void {
    batch(() => {
      this.server.value = server;
      this.tab.value = tab;
      this.half.value = 'work';
      if (name !== '') this.pick(tab, name);
    });
  }

  /** Shows a transcript as a separate wire, without sending anything. */
  async openWire(file: File): Promise<void> {
    if (file.size > maxFileBytes) return this.tell(`${file.name}: a transcript may have ${maxFileBytes / 1024 / 1024} MiB.`, 'bad');
    const loaded = await this.run('record.load', { title: file.name, text: await file.text() });
    if (loaded) await this.openRecording(loaded.id);
  }

  async openRecording(id: string): Promise<void> {
    const opened = await this.run('wire.open', { id });
    if (!opened) return;
    batch(() => {
      this.dock.value = 'wire';
      this.half.value = 'dock';
      this.wire.selected.value = 0;
      this.wire.setFilter({ ...noFilter, server: opened.server });
    });
    this.announcement.value = `${opened.messages} messages were opened`;
  }

  /** Goes to the first error that the wire shows. */
  firstError(): void {
    const found = this.wire.nextError(0);
    if (found) this.wire.reveal(found.seq);
    else this.tell('No error is shown in the wire.');
  }

  /** Selects an item in a list of the current server. */
  pick(tab: Tab, name: string): void {
    put(this.picked, `${this.server.value} ${tab}`, name);
  }

  pickedIn(tab: Tab): string {
    return this.picked.value.get(`${this.server.value} ${tab}`) ?? '';
  }

  /** Shows a message in the wire, on a narrow screen too. */
  showWire(seq: number): void {
    batch(() => {
      this.dock.value = 'wire';
      this.half.value = 'dock';
      this.wire.reveal(seq);
    });
  }
}
