import type { CallToolResult, GetPromptResult, ReadResourceResult } from 'barewire/protocol';
import type { Progress } from 'barewire/jsonrpc';
import type { CallView, WireEntry } from '../messages.ts';
import { failureOf, PageError } from './failure.ts';

/** The most ended calls that are kept. */
const maxEnded = 200;
/** The most characters of JSON that the results of ended calls may take. */
const maxEndedChars = 32_000_000;

type Result = CallToolResult | ReadResourceResult | GetPromptResult;

/** Reports of a running call to its view. */
export interface Running {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /** The request is about to be sent: the next one of this method to this server belongs to the call. */
  sends(method: string): void;
  task(id: string): void;
  /** The validator's complaint about its result. */
  fault(words: string): void;
}

interface Held {
  view: CallView;
  readonly stop: AbortController;
  chars: number;
  /** When it was sent, or last reported progress. */
  signAt: number;
}

/** Tool calls, resource reads and prompt gets. Each continues when the page that began it is gone, and all pages see all of them. */
export class Calls {
  readonly #onChange: (view: CallView) => void;
  readonly #held = new Map<number, Held>();
  /** Calls whose request has not been sent yet, by server and method, in the order of `sends`. */
  readonly #sending = new Map<string, Held[]>();
  #count = 0;

  constructor(onChange: (view: CallView) => void) {
    this.#onChange = onChange;
  }

  get views(): readonly CallView[] {
    return [...this.#held.values()].map(({ view }) => view);
  }

  /**
   * Begins a call. Resolves with its view at its end, and never rejects. `begun` is called with the view when the call becomes a task.
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

  /** Of all running calls of a server, the oldest time of the last sign of life; undefined if none runs. */
  lastSign(server: string): number | undefined {
    const running = this.#running(server);
    return running.length === 0 ? undefined : Math.min(...running.map(({ signAt }) => signAt));
  }

  /** The tools with running calls on a server; [] if a resource or prompt request runs too, since a question does not name its request. */
  asking(server: string): readonly string[] {
    const names = this.#running(server).map(({ view: { about } }) => (about.kind === 'tool' ? about.name : ''));
    return names.includes('') ? [] : [...new Set(names)];
  }

  /** Links the request of a call to its wire entry. */
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

  /** Forgets all ended calls. */
  clear(): void {
    for (const [call, { view }] of this.#held) if (view.endedAt !== null) this.#held.delete(call);
  }

  /** Removes the oldest ended calls above the limits. */
  #forget(): void {
    const ended = [...this.#held].filter(([, { view }]) => view.endedAt !== null);
    let chars = ended.reduce((sum, [, one]) => sum + one.chars, 0);
    for (const [i, [call, one]] of ended.entries()) {
      if (ended.length - i <= maxEnded && chars <= maxEndedChars) return;
      // The last one stays, whatever its size.
      if (i === ended.length - 1) return;
      chars -= one.chars;
      this.#held.delete(call);
    }
  }
}
