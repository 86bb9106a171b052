import { systemClock } from '../../bounds/clock.ts';
import type { Bag, Decoded, RequestId } from '../../jsonrpc/message.ts';
import { findRevision, revisions } from '../../protocol/revisions.ts';
import type { ClientReceiver, ClientTransport } from '../client-port.ts';
import { check } from './transport-test.ts';
import type { OpenedTransport } from './transport-test.ts';

/** The end of a request: a response, or a failure of the transport. */
export interface Ended {
  readonly result?: Bag;
  readonly error?: { readonly code: number; readonly message: string };
  readonly failed?: Error;
}


/** The client of a test: it sends given messages, and records everything that the transport reports. */
export class TestClient {
  readonly transport: ClientTransport;
  readonly patienceMs: number;
  /** All messages from the transport, in order. */
  readonly heard: Decoded[] = [];
  readonly closed: string[] = [];
  readonly errors: Error[] = [];
  readonly #ends = new Map<RequestId, Ended[]>();
  readonly #waiters = new Set<() => void>();
  /** True during a call of `transport.send`. */
  #sending = false;
  /** True after the transport called the receiver during a `send`. */
  reentered = false;
  #ids = 0;

  constructor({ client, patienceMs = 10_000 }: OpenedTransport) {
    this.transport = client;
    this.patienceMs = patienceMs;
  }

  readonly receiver: ClientReceiver = {
    message: (decoded) => {
      this.#note(() => {
        this.heard.push(decoded);
        if (decoded.kind === 'success') this.#end(decoded.message.id, { result: decoded.message.result });
        else if (decoded.kind === 'failure') this.#end(decoded.message.id ?? -1, { error: decoded.message.error });
        else if (decoded.kind === 'refusal') this.#end(decoded.id ?? -1, { failed: new Error(decoded.responseFault ?? decoded.error.message) });
      });
    },
    failed: (id, error) => this.#note(() => this.#end(id, { failed: error })),
    closed: (why) => this.#note(() => this.closed.push(why)),
    error: (error) => this.#note(() => this.errors.push(error)),
  };

  #note(run: () => void): void {
    if (this.#sending) this.reentered = true;
    run();
    for (const waiter of [...this.#waiters]) waiter();
  }

  #end(id: RequestId, ended: Ended): void {
    this.#ends.set(id, [...this.#ends.get(id) ?? [], ended]);
  }

  /** Opens the transport and a session. */
  async open(): Promise<void> {
    await this.transport.open(this.receiver);
    await this.greet();
  }

  /** The handshake of 2025-11-25. */
  async greet(): Promise<void> {
    const { result, error, failed } = await this.ask('initialize', {
      protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' },
    });
    check(result !== undefined, `the handshake failed: ${error?.message ?? failed?.message}`);
    const revision = findRevision(revisions, '2025-11-25');
    if (revision) this.transport.agreed?.(revision);
    this.say({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  /** Sends one message. */
  say(message: { readonly jsonrpc: '2.0'; readonly method: string; readonly id?: RequestId; readonly params?: Bag }): void {
    this.sayText(JSON.stringify(message), message);
  }

  /** Sends a text unchanged. */
  sayText(text: string, message?: { readonly method?: string; readonly id?: RequestId; readonly params?: Bag }): void {
    this.#sending = true;
    try {
      this.transport.send(text, message);
    } finally {
      this.#sending = false;
    }
  }

  /** Sends a request, and returns its id. */
  begin(method: string, params: Bag = {}): number {
    const id = ++this.#ids;
    this.say({ jsonrpc: '2.0', id, method, params });
    return id;
  }

  /** Sends a request, and waits for its end. */
  ask(method: string, params?: Bag): Promise<Ended> {
    return this.endOf(this.begin(method, params), method);
  }

  /** The first end of a request. */
  async endOf(id: RequestId, what: string = 'a request'): Promise<Ended> {
    await this.until(() => this.#ends.has(id), `the end of ${what} (id ${id})`);
    return this.endsOf(id)[0] as Ended;
  }

  /** All reported ends of a request: there must be only one. */
  endsOf(id: RequestId): readonly Ended[] {
    return this.#ends.get(id) ?? [];
  }

  /** Checks that the transport still works: sends an `echo` request, which must be answered. */
  async alive(after: string): Promise<void> {
    const text = `after ${after}`;
    const { result, error, failed } = await this.ask('echo', { text });
    check(result?.['text'] === text, `after ${after} the next request is not served: ${error?.message ?? failed?.message ?? JSON.stringify(result)}`);
  }

  /** Waits until `holds` returns true; calls it after each report of the transport. Rejects after `patienceMs`. */
  async until(holds: () => boolean, what: string): Promise<void> {
    if (holds()) return;
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => {
        timer?.stop();
        this.#waiters.delete(waiter);
      };
      const waiter = (): void => {
        if (!holds()) return;
        stop();
        resolve();
      };
      const timer = systemClock.after(this.patienceMs, () => {
        stop();
        const ends = this.closed.length > 0 ? `; the connection was closed: ${this.closed[0]}` : '';
        reject(new Error(`${what} did not arrive within ${this.patienceMs} ms${ends}`));
      });
      this.#waiters.add(waiter);
    });
  }

  /** Like `until`, but calls `holds` in each turn of the event loop, for conditions that the transport does not report. */
  async eventually(holds: () => boolean, what: () => string): Promise<void> {
    const from = systemClock.monotonic();
    while (!holds()) {
      check(systemClock.monotonic() - from < this.patienceMs, `${what()}, after ${this.patienceMs} ms`);
      await turns(1);
    }
  }
}

/** Waits for `count` turns of the event loop. */
export async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise<void>((resolve) => void systemClock.after(0, resolve));
}
