import type { CallToolResult, GetPromptResult, ReadResourceResult } from 'barewire/protocol';
import type { Progress } from 'barewire/jsonrpc';
import type { CallView, WireEntry } from '../messages.ts';
import { failureOf, PageError } from './failure.ts';

/** Calls that have ended and are still shown. */
const maxEnded = 200;
/** What the results of ended calls may take, as characters of JSON. */
const maxEndedChars = 32_000_000;

type Result = CallToolResult | ReadResourceResult | GetPromptResult;

/** What the work of a call may tell of itself while it runs. */
export interface Running {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /** It is about to be sent; its request will be the next of this method that the server gets. */
  sends(method: string): void;
  /** It became a task. */
  task(id: string): void;
  /** What the validator says of its result. */
  fault(words: string): void;
}

interface Held {
  view: CallView;
  readonly stop: AbortController;
  chars: number;
  /** When it was sent, or last reported progress. */
  signAt: number;
}

/** Calls, reads and gets: each goes on when the page that asked for it is gone, and all pages see all of them. */
export class Calls {
  readonly #onChange: (view: CallView) => void;
  readonly #held = new Map<number, Held>();
  /** Calls whose request has not passed yet, by server and method, in the order in which they were sent. */
  readonly #sending = new Map<string, Held[]>();
  #count = 0;

  constructor(onChange: (view: CallView) => void) {
    this.#onChange = onChange;
  }

  get views(): readonly CallView[] {
    return [...this.#held.values()].map(({ view }) => view);
  }

  /**
   * Begins one. Resolves with what it was when it ended, and never rejects. `begun`, where it is given, is called with
   * its view when it became a task.
   */
  async run(server: string, about: CallView['about'], signal: AbortSignal, work: (running: Running) => Promise<Result>, begun?: (view: CallView) => void): Promise<CallView> {
    const stop = new AbortController();
    const held: Held = {
      stop, chars: 0, signAt: Date.now(),
      view: {
        call: ++this.#count, server, about, state: 'waiting', progress: null, startedAt: Date.now(), endedAt: null,
        task: null, result: null, failure: null, outputFault: '', wire: null,
      },
    };
    const change = (changes: Partial<CallView>): void => {
      held.view = { ...held.view, ...changes };
      this.#onChange(held.view);
    };
    const abort = (): void => stop.abort(new PageError('cancelled', 'the person cancelled it'));
    signal.addEventListener('abort', abort, { once: true });
    this.#held.set(held.view.call, held);
    change({});
    let sending: Held[] | undefined;
    let fault = '';
    try {
      const result = await work({
        signal: stop.signal,
        onProgress: ({ progress, total, message }) => {
          held.signAt = Date.now();
          if (held.view.endedAt === null) change({ progress: { progress, total: total ?? null, message: message?.slice(0, 2_000) ?? null } });
        },
        sends: (method) => {
          sending = this.#queue(server, method);
          sending.push(held);
          held.signAt = Date.now();
          change({ state: 'running' });
        },
        task: (id) => {
          change({ task: id });
          begun?.(held.view);
        },
        fault: (words) => (fault = words),
      });
      held.chars = JSON.stringify(result).length;
      change({ state: 'done', result, outputFault: fault, endedAt: Date.now() });
    } catch (thrown) {
      const failure = failureOf(stop.signal.aborted ? stop.signal.reason : thrown);
      const state = stop.signal.aborted ? 'cancelled' : failure.code === 'refused' || failure.code === 'tool-changed' ? 'refused' : 'failed';
      change({ state, failure, endedAt: Date.now() });
    }
    signal.removeEventListener('abort', abort);
    if (sending?.includes(held)) sending.splice(sending.indexOf(held), 1);
    this.#forget();
    return held.view;
  }

  #queue(server: string, method: string): Held[] {
    const key = `${method} ${server}`;
    const queue = this.#sending.get(key) ?? [];
    this.#sending.set(key, queue);
    return queue;
  }

  #running(server: string): readonly Held[] {
    return [...this.#held.values()].filter(({ view }) => view.server === server && view.state === 'running');
  }

  /** When the call of a server that is silent the longest gave its last sign of life; undefined: none runs. */
  lastSign(server: string): number | undefined {
    const running = this.#running(server);
    return running.length === 0 ? undefined : Math.min(...running.map(({ signAt }) => signAt));
  }

  /** The tools whose calls to a server run; [] where a resource or a prompt is asked for too, since a question does not say its request. */
  asking(server: string): readonly string[] {
    const names = this.#running(server).map(({ view: { about } }) => (about.kind === 'tool' ? about.name : ''));
    return names.includes('') ? [] : [...new Set(names)];
  }

  /** Something passed: the request of a call, perhaps. */
  passed(entry: WireEntry): void {
    if (entry.kind !== 'message' || entry.direction !== 'sent' || entry.shape !== 'request' || entry.origin === 'injected') return;
    const held = this.#sending.get(`${entry.method} ${entry.server}`)?.shift();
    if (!held) return;
    held.view = { ...held.view, wire: entry.seq };
    this.#onChange(held.view);
  }

  cancel(call: number): void {
    const held = this.#held.get(call);
    if (!held) throw new PageError('no-such-call', `there is no call ${call}`);
    held.stop.abort(new PageError('cancelled', 'the person cancelled it'));
  }

  /** Forgets what has ended. */
  clear(): void {
    for (const [call, { view }] of this.#held) if (view.endedAt !== null) this.#held.delete(call);
  }

  /** Lets the oldest go that have ended. */
  #forget(): void {
    const ended = [...this.#held].filter(([, { view }]) => view.endedAt !== null);
    let chars = ended.reduce((sum, [, one]) => sum + one.chars, 0);
    for (const [i, [call, one]] of ended.entries()) {
      if (ended.length - i <= maxEnded && chars <= maxEndedChars) return;
      // The last one stays, whatever it takes.
      if (i === ended.length - 1) return;
      chars -= one.chars;
      this.#held.delete(call);
    }
  }
}
