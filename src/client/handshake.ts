import { takeBatch } from '../jsonrpc/batch.ts';
import { weighValue } from '../jsonrpc/weight.ts';
import type { Connection } from '../jsonrpc/connection.ts';
import type { RequestOptions } from '../jsonrpc/pending-requests.ts';
import type { Bag, RequestId } from '../jsonrpc/message.ts';
import { notify } from '../jsonrpc/outlet.ts';
import * as columns from '../protocol/columns.ts';
import type { Implementation } from '../protocol/initialize.ts';
import { clientLifecycle } from '../protocol/lifecycle.ts';
import type { LifecycleEvent, LifecycleState } from '../protocol/lifecycle.ts';
import { requestsOf } from '../protocol/requests.ts';
import { findRevision, selectRevisions } from '../protocol/revisions.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { ClientReceiver, ClientTransport } from '../transport/port.ts';
import { declaredCapabilities, declaredInfo } from './capabilities.ts';
import { negotiate } from './negotiation.ts';
import type { Agreement } from './negotiation.ts';
import type { CoreClientLimits, CoreClientOptions } from './options.ts';

/** Bytes of memory that a server's name, capabilities and instructions may take. */
const maxHeldBytes = 262_144;

/** What the handshake needs of the server that is being connected. */
export interface HandshakePort {
  readonly info: Implementation;
  readonly options: CoreClientOptions;
  readonly limits: CoreClientLimits;
  readonly receiver: ClientReceiver;
  newConnection(): Connection;
  /** What every modern request says of this client. */
  metaFor(revision: Revision): Bag;
  /** The revision is agreed on; a legacy server has not been told yet that the handshake is over. */
  agreed(agreement: Agreement): void;
  /** The handshake is over; its promise is waited for. */
  begin(agreement: Agreement): Promise<unknown> | undefined;
  /** The far side is not the one that it was: what was learned from it is void. */
  forget(): void;
}

/** How a client and a server have met, and meet again where the server has forgotten the first time. */
export class Handshake {
  agreement: Agreement | undefined;
  transport: ClientTransport | undefined;
  connection: Connection;
  state: LifecycleState = 'new';
  /** How many handshakes there were. */
  count = 0;
  renewing: Promise<void> | undefined;
  /** Whether it is still open which revision is spoken. */
  deciding = false;
  /** The far side is gone, and there will be another for the next request. */
  down = false;
  /** Gives back what was charged for the agreement. */
  #release: (() => void) | undefined;
  readonly #port: HandshakePort;
  readonly #revisions: readonly Revision[];

  constructor(port: HandshakePort) {
    const { era = 'auto', revisions } = port.options;
    this.#port = port;
    this.#revisions = selectRevisions(revisions).filter((revision) => era === 'auto' || revision.era === era);
    if (this.#revisions.length === 0) throw new RangeError(`no protocol revision is left in the era ${era}`);
    this.connection = port.newConnection();
  }

  async connect(transport: ClientTransport): Promise<void> {
    if (this.transport) throw new Error('the client is connected already');
    this.transport = transport;
    this.agreement = undefined;
    this.#anew();
    try {
      await transport.open(this.#port.receiver);
      await this.#begin(transport, findRevision(this.#revisions, this.#port.options.remembered));
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const { transport } = this;
    if (!transport) return;
    this.#step('close');
    this.connection.close('the client was closed');
    this.#letGo();
    this.transport = undefined;
    this.#port.forget();
    await transport.close();
  }

  /** A new handshake for everybody who found the old one void. */
  renew(): Promise<void> {
    return this.renewing ??= (async () => {
      const { transport } = this;
      try {
        if (!transport) return;
        if (transport.kind === 'pipe' || this.down) await this.#restart(transport);
        else await transport.reopen?.();
        this.#port.forget();
        await this.#begin(transport, this.agreement?.revision);
      } catch (error) {
        // The next request tries again.
        this.down = true;
        throw error;
      } finally {
        this.renewing = undefined;
      }
    })();
  }

  async #begin(transport: ClientTransport, remembered: Revision | undefined): Promise<void> {
    const port = this.#port;
    const pipe = transport.kind === 'pipe';
    const asked: RequestId[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    let agreement: Agreement;
    this.deciding = true;
    try {
      agreement = await negotiate({
        revisions: this.#revisions,
        remembered,
        discover: (revision) =>
          this.ask('server/discover', { _meta: port.metaFor(revision) }, undefined, (id) => asked.push(id)),
        initialize: (revision) => this.#initialize(revision, asked),
        silence: pipe && typeof setTimeout === 'function' ? () => new Promise((resolve) => {
          timer = setTimeout(resolve, port.limits.probeTimeoutMs);
        }) : undefined,
        restart: pipe && transport.reopen ? () => this.#restart(transport) : undefined,
      });
    } finally {
      if (timer !== undefined) clearTimeout(timer);
      // What is still asked is not cancelled, and a late answer to it is dropped.
      for (const id of asked) requestsOf(this.connection).fail(id, new Error('the other era was found'));
      this.deciding = false;
    }
    this.#letGo();
    this.#hold(agreement);
    this.agreement = agreement;
    this.connection.takeBatch = columns.batching(agreement.revision) ? takeBatch : undefined;
    this.connection.nullErrorId = columns.nullErrorId(agreement.revision);
    port.agreed(agreement);
    transport.agreed?.(agreement.revision);
    this.count++;
    if (agreement.revision.era === 'modern') {
      // Every request stands alone: there is nothing to wait for.
      this.state = 'ready';
      port.begin(agreement);
      return;
    }
    notify(this.connection, 'notifications/initialized');
    this.#step('initialized');
    await port.begin(agreement);
  }

  /** What the server says of itself is kept as long as the connection: it is charged, and may not be large. */
  #hold({ capabilities, server, instructions }: Agreement): void {
    const { budget } = this.connection;
    const weight = weighValue([capabilities, server, instructions]);
    if (typeof weight !== 'number' || weight > maxHeldBytes || !budget.charge(weight)) {
      throw new Error(`the server's name, capabilities and instructions take more than ${maxHeldBytes} bytes`);
    }
    this.#release = () => budget.release(weight);
  }

  #initialize(revision: Revision, asked: RequestId[]): Promise<Bag> {
    const { options, info } = this.#port;
    // A handshake that failed leaves nothing behind.
    if (this.state === 'initializing') this.state = 'new';
    this.#step('initialize');
    return this.ask('initialize', {
      protocolVersion: revision.version,
      capabilities: declaredCapabilities(options, revision),
      clientInfo: declaredInfo(info, revision),
    }, undefined, (id) => asked.push(id));
  }

  /** Asks on the connection that there is, once; `sent` is told the id. */
  ask(method: string, params: Bag, options?: RequestOptions, sent?: (id: RequestId) => void): Promise<Bag> {
    return requestsOf(this.connection).request(method, params, options, {
      send: (text, message) => {
        if (message && 'id' in message) sent?.(message.id);
        this.transport?.send(text, message);
      },
    });
  }

  #step(event: LifecycleEvent): void {
    const next = clientLifecycle[this.state].on[event];
    if (next === undefined) throw new Error(`${event}: not while the connection is ${this.state}`);
    this.state = next;
  }

  async #restart(transport: ClientTransport): Promise<void> {
    await transport.reopen?.();
    this.connection.close('the server was started again');
    this.#anew();
  }

  #letGo(): void {
    this.#release?.();
    this.#release = undefined;
  }

  #anew(): void {
    this.#letGo();
    this.connection = this.#port.newConnection();
    this.state = 'new';
    this.down = false;
  }
}
