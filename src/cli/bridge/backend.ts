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

/** Timeout in milliseconds of requests behind the bridge. Long, because the client in front has its own timeout. */
const timeoutMs = 24 * 3600_000;

export interface BackendEvents {
  readonly onListChanged: (list: 'tools' | 'resources' | 'prompts') => void;
  readonly onResourceUpdated: (uri: string) => void;
  readonly onError: (error: Error) => void;
  /** The backend cannot be used any more. */
  readonly onClose: () => void;
}

/** The server behind the bridge for one principal: a separate process or session. */
export class Backend {
  readonly client: McpClient;
  readonly ready: Promise<unknown>;
  lastUsed: number = systemClock.now();
  /** Requests under way, including calls. */
  busy: number = 0;
  readonly calls: Map<string, BridgedCall> = new Map();
  readonly #subscribed = new Set<string>();
  /** Calls by the signal of their request: a 2026-07-28 server's questions come with this signal. */
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

  /** Sends a request that causes no questions. Rejects with the server's error, or with -32603. */
  async request(method: string, params: Record<string, unknown>, signal: AbortSignal): Promise<Record<string, unknown>> {
    await this.#reached();
    return this.#counted(() => this.client.request(method, params, { signal }));
  }

  /** Begins a call, during which the server may ask questions. */
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
      // Another call of this principal may carry open questions, except those that a client is away with.
      for (const question of call.waiting) if (!question.away) this.put(question);
      // The exchange that delivers the result removes the call. A client that is away may still fetch it until `keepMs` is over.
      if (this.calls.get(id) !== call) return;
      call.kept = systemClock.after(keepMs, () => {
        this.calls.delete(id);
        for (const question of call.waiting) this.put(question);
      }, true);
    });
    return call;
  }

  /** Removes a call whose result the client has. */
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

  /** The call to send a log message with, since the message names none: an open call whose client is connected. */
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

  /** Gives the question to an open call, which sends it to the client. */
  put(question: BridgedQuestion): void {
    question.away = false;
    const own = this.#askedIn.getStore();
    if (own?.open) return own.ask(question);
    // A legacy question names no call. Choose the open call with the fewest questions; of equal ones, one whose client
    // is connected. A modern client that is away with a question gets the next one when it returns.
    const weight = (call: BridgedCall): number => call.asked * 2 + (call.carrier ? 0 : 1);
    const [call] = [...this.calls.values()].filter(({ open }) => open).sort((a, b) => weight(a) - weight(b));
    if (call) call.ask(question);
    else question.fail(new RpcError(-32603, 'this client has no open call that could carry the question'));
  }
}

/** The error as the client in front gets it. */
function behind(thrown: unknown): RpcError {
  return thrown instanceof RpcError ? thrown : new RpcError(-32603, `the server behind the bridge: ${errorMessage(thrown)}`);
}
