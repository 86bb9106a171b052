import { systemClock } from '../../bounds/clock.ts';
import { AsyncLocalStorage } from 'node:async_hooks';
import { McpClient } from '../../client/index.ts';
import type { ClientOptions } from '../../client/index.ts';
import type { ClientCapabilities, Implementation } from '../../protocol/index.ts';
import { errorMessage } from '../../jsonrpc/internal-exports.ts';
import { RpcError } from '../../jsonrpc/index.ts';
import type { ClientTransport } from '../../transport/internal-exports.ts';
import { BridgedCall } from './bridged-call.ts';
import type { BridgedQuestion } from './bridged-call.ts';

/** Milliseconds that a request behind the bridge may take: the client in front has limits of its own. */
const timeoutMs = 24 * 3600_000;

export interface BackendEvents {
  readonly onListChanged: (list: 'tools' | 'resources' | 'prompts') => void;
  readonly onResourceUpdated: (uri: string) => void;
  readonly onError: (error: Error) => void;
  /** It is of no use any more. */
  readonly onClose: () => void;
}

/** The server behind the bridge, as one principal has it: a process or a session of its own. */
export class Backend {
  readonly client: McpClient;
  readonly ready: Promise<unknown>;
  lastUsed: number = systemClock.now();
  /** Requests under way, calls among them. */
  busy: number = 0;
  readonly calls: Map<string, BridgedCall> = new Map();
  readonly #subscribed = new Set<string>();
  /** By the signal of its request: a server of 2026-07-28 asks in the call itself. */
  readonly #bySignal = new WeakMap<AbortSignal, BridgedCall>();
  readonly #askedIn = new AsyncLocalStorage<BridgedCall | undefined>();

  constructor(
    info: Implementation, transport: ClientTransport, capabilities: ClientCapabilities, revisions: readonly string[] | undefined, events: BackendEvents,
  ) {
    const { elicitation, sampling, roots } = capabilities;
    // A legacy client that declares elicitation without a mode has forms. 2025-11-25 client/elicitation#capabilities
    const forms = elicitation && (elicitation.form !== undefined || elicitation.url === undefined);
    const options: ClientOptions = {
      ...revisions && { revisions },
      cache: false,
      validator: false,
      logLevel: 'debug',
      limits: { timeoutMs, maxTimeoutMs: timeoutMs, maxRounds: 1000 },
      ...forms && { onElicit: (params, { signal }) => this.#ask('elicitation/create', { ...params }, signal) as never },
      ...elicitation?.url && { onElicitUrl: (params, { signal }) => this.#ask('elicitation/create', { ...params, mode: 'url' }, signal) as never },
      ...sampling && { onSample: (params, { signal }) => this.#ask('sampling/createMessage', { ...params }, signal) as never },
      ...roots && { roots: () => this.#ask('roots/list', {}, new AbortController().signal) as never },
      ...sampling && { capabilities: { sampling } },
      onLog: ({ level, data, logger }) => this.#carrying()?.carrier?.log(level, data, logger),
      onListChanged: events.onListChanged,
      onResourceUpdated: events.onResourceUpdated,
      onError: events.onError,
      onClose: events.onClose,
      around: (inner) => ({
        ...inner,
        rounds: (method, params, first, call) =>
          this.#askedIn.run(call.signal && this.#bySignal.get(call.signal), () => inner.rounds(method, params, first, call)),
      }),
    };
    this.client = new McpClient(info, options);
    this.ready = this.client.connect(transport);
    this.ready.catch(() => {});
  }

  /** Sends a request that asks nothing. Rejects with what the server answered, or with error -32603. */
  async request(method: string, params: Record<string, unknown>, signal: AbortSignal): Promise<Record<string, unknown>> {
    await this.#reached();
    return this.#counted(() => this.client.request(method, params, { signal }));
  }

  /** Begins a call, which may ask. */
  begin(id: string, method: string, params: Record<string, unknown>, keepMs: number): BridgedCall {
    const call = new BridgedCall();
    this.calls.set(id, call);
    const { signal } = call.cancelled;
    this.#bySignal.set(signal, call);
    void this.#reached().then(() => this.#counted(() => this.client.request(method, params, {
      signal,
      onProgress: ({ progress, total, message }) => call.carrier?.progress(progress, total, message),
    }))).then(
      (result) => call.end({ kind: 'result', result }),
      (error: unknown) => call.end({ kind: 'error', error: signal.aborted ? new RpcError(-32603, `the call was cancelled: ${String(signal.reason)}`) : behind(error) }),
    ).finally(() => {
      // Another call of this principal may carry what is still asked, but for what a client is away with.
      for (const question of call.waiting) if (!question.away) this.put(question);
      // Whoever carries its end to the client takes it out; one that is away may still come for it.
      if (this.calls.get(id) !== call) return;
      call.kept = systemClock.after(keepMs, () => {
        this.calls.delete(id);
        for (const question of call.waiting) this.put(question);
      }, true);
    });
    return call;
  }

  /** The client has the end of this call. */
  delivered(id: string): void {
    this.calls.get(id)?.kept?.stop();
    this.calls.delete(id);
  }

  subscribe(uri: string): Promise<void> {
    if (this.#subscribed.has(uri)) return Promise.resolve();
    this.#subscribed.add(uri);
    return this.ready.then(() => this.client.subscribe(uri));
  }

  close(): Promise<void> {
    for (const call of this.calls.values()) call.cancel('the server behind the bridge is ended');
    return this.client.close();
  }

  async #reached(): Promise<void> {
    await this.ready.catch((thrown: unknown) => {
      throw behind(thrown);
    });
  }

  async #counted<T>(run: () => Promise<T>): Promise<T> {
    this.busy += 1;
    try {
      return await run();
    } catch (thrown) {
      throw behind(thrown);
    } finally {
      this.busy -= 1;
      this.lastUsed = systemClock.now();
    }
  }

  /** The call that carries a log message, which names none: an open one of this principal whose client is there. */
  #carrying(): BridgedCall | undefined {
    return [...this.calls.values()].findLast((call) => call.open && call.carrier);
  }

  #ask(method: BridgedQuestion['method'], params: Record<string, unknown>, signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const question: BridgedQuestion = {
        method, params, signal,
        settled: false,
        away: false,
        answer(value) {
          question.settled = true;
          resolve(value);
        },
        fail(error) {
          question.settled = true;
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      };
      signal.addEventListener('abort', () => question.fail(new Error('the question is no longer asked')), { once: true });
      this.put(question);
    });
  }

  /** Finds it a call that carries it to the client. */
  put(question: BridgedQuestion): void {
    question.away = false;
    const own = this.#askedIn.getStore();
    if (own?.open) return own.ask(question);
    // A legacy question names no call: it goes out with the open one that has asked least, rather one whose client is there.
    // While a modern client is away with one question, the next one waits for it with its call.
    const weight = (call: BridgedCall): number => call.asked * 2 + (call.carrier ? 0 : 1);
    const [call] = [...this.calls.values()].filter(({ open }) => open).sort((a, b) => weight(a) - weight(b));
    if (call) call.ask(question);
    else question.fail(new RpcError(-32603, 'no call of this client is open that could carry the question'));
  }
}

/** What went wrong behind the bridge, as the client in front may read it. */
function behind(thrown: unknown): RpcError {
  return thrown instanceof RpcError ? thrown : new RpcError(-32603, `the server behind the bridge: ${errorMessage(thrown)}`);
}
