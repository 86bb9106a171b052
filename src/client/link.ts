import { takeBatch } from '../jsonrpc/batch.ts';
import { Connection } from '../jsonrpc/connection.ts';
import type { ConnectionHandlers } from '../jsonrpc/connection.ts';
import type { Bag, RequestId } from '../jsonrpc/message.ts';
import { notify, pipeOutlet } from '../jsonrpc/outlet.ts';
import type { PendingRequests, RequestOptions } from '../jsonrpc/pending-requests.ts';
import { weighValue } from '../bounds/weight.ts';
import * as columns from '../protocol/columns.ts';
import type { Implementation } from '../protocol/initialize.ts';
import { clientLifecycle } from '../protocol/lifecycle.ts';
import type { LifecycleEvent, LifecycleState } from '../protocol/lifecycle.ts';
import type { LoggingLevel } from '../protocol/logging.ts';
import { requestsOf } from '../protocol/requests.ts';
import { findRevision, selectRevisions } from '../protocol/revisions.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { ClientReceiver, ClientTransport } from '../transport/client-port.ts';
import { declaredCapabilities, declaredInfo, declaredMeta } from './declaration.ts';
import { findAgreement } from './negotiation.ts';
import type { Agreement } from './negotiation.ts';
import type { CoreClientLimits, CoreClientOptions } from './options.ts';
import { Terms } from './terms.ts';

/** Bytes of memory that a server's name, capabilities and instructions may take. */
const maxHeldBytes = 262_144;

/** What a link needs of the client that it belongs to. */
export interface LinkPort {
  readonly info: Implementation;
  readonly options: CoreClientOptions;
  readonly limits: CoreClientLimits;
  readonly receiver: ClientReceiver;
  readonly handlers: ConnectionHandlers;
  /** There is an agreement, which a legacy server has been told. The link waits for the promise. */
  begin(terms: Terms): Promise<unknown> | undefined;
}

/**
 * The link to a server: its transport, the connection on it, and what both sides have agreed on. It is opened, closed, and
 * made anew where the server has gone or has forgotten the session.
 */
export class Link {
  /** What the last handshake or discovery has agreed on; undefined before the first one. */
  terms: Terms | undefined;
  /** Whether there must be a new agreement before the next request; it may be under way. */
  stale = false;
  transport: ClientTransport | undefined;
  connection: Connection;
  /** Our requests on the connection. */
  requests: PendingRequests;
  state: LifecycleState = 'new';
  /** How many agreements there were. */
  count = 0;
  /** The least severe log message that the user wants. */
  logLevel: LoggingLevel | undefined;
  /** The new agreement that is under way. */
  renewing: Promise<void> | undefined;
  /** Whether it is still open which revision is spoken. */
  deciding = false;
  /** The server has gone, and the transport can start it again. */
  #gone = false;
  /** Gives back what was charged for the agreement. */
  #release: (() => void) | undefined;
  readonly #port: LinkPort;
  readonly #revisions: readonly Revision[];

  constructor(port: LinkPort) {
    const { era = 'auto', revisions } = port.options;
    this.#port = port;
    this.logLevel = port.options.logLevel;
    this.#revisions = selectRevisions(revisions).filter((revision) => era === 'auto' || revision.era === era);
    if (this.#revisions.length === 0) throw new RangeError(`no protocol revision is left in the era ${era}`);
    this.connection = this.#newConnection();
    this.requests = requestsOf(this.connection);
  }

  async connect(transport: ClientTransport): Promise<void> {
    if (this.transport) throw new Error('the client is connected already');
    this.transport = transport;
    this.terms = undefined;
    this.stale = false;
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
    this.#forget();
    await transport.close();
  }

  /** The server has gone. The next request starts it again, where the transport can. */
  lost(): void {
    this.#forget();
    this.#gone = this.stale = this.transport?.reopen !== undefined;
  }

  /** `_meta` of every request in a modern revision. */
  metaFor(revision: Revision): Bag {
    const { info, options } = this.#port;
    return declaredMeta(info, options, this.logLevel, revision);
  }

  /** The server may be another one now: results of the old one are void. */
  #forget(): void {
    this.#port.options.cache?.clear();
  }

  /** A new agreement for every request that found the old one void. */
  renew(): Promise<void> {
    return this.renewing ??= (async () => {
      const { transport } = this;
      try {
        if (!transport) return;
        this.stale = true;
        if (transport.kind === 'pipe' || this.#gone) await this.#restart(transport);
        else await transport.reopen?.();
        this.#forget();
        await this.#begin(transport, this.terms?.agreement.revision);
        this.stale = false;
      } catch (error) {
        // The next request tries again.
        this.#gone = true;
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
      agreement = await findAgreement({
        revisions: this.#revisions,
        remembered,
        discover: (revision) =>
          this.ask('server/discover', { _meta: this.metaFor(revision) }, undefined, (id) => asked.push(id)),
        initialize: (revision) => this.#initialize(revision, asked),
        silence: pipe && typeof setTimeout === 'function' ? () => new Promise((resolve) => {
          timer = setTimeout(resolve, port.limits.probeTimeoutMs);
        }) : undefined,
        restart: pipe && transport.reopen ? () => this.#restart(transport) : undefined,
      });
    } finally {
      if (timer !== undefined) clearTimeout(timer);
      // Requests of the negotiation that are still open are not cancelled. A late answer to one is dropped.
      for (const id of asked) this.requests.fail(id, new Error('the other era was found'));
      this.deciding = false;
    }
    this.#letGo();
    this.#hold(agreement);
    const { revision } = agreement;
    const modern = revision.era === 'modern';
    const headers = modern ? transport.toolHeaders?.(port.receiver.error) : undefined;
    const terms = this.terms = new Terms(agreement, port.options, modern ? this.metaFor(revision) : undefined, headers);
    this.connection.takeBatch = columns.batching(revision) ? takeBatch : undefined;
    this.connection.nullErrorId = columns.nullErrorId(revision);
    transport.agreed?.(revision);
    this.count++;
    if (modern) {
      // There is no handshake, so there is nothing to wait for.
      this.state = 'ready';
      port.begin(terms);
      return;
    }
    notify(this.connection, 'notifications/initialized');
    this.#step('initialized');
    await port.begin(terms);
  }

  /** Charges the name, capabilities and instructions of the server, which are kept as long as the connection. */
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

  /** Sends one request on the present connection; `sent` is told its id. */
  ask(method: string, params: Bag, options?: RequestOptions, sent?: (id: RequestId) => void): Promise<Bag> {
    return this.requests.request(method, params, options, {
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
    this.connection = this.#newConnection();
    this.requests = requestsOf(this.connection);
    this.state = 'new';
    this.#gone = false;
  }

  #newConnection(): Connection {
    const { handlers, limits } = this.#port;
    return new Connection(pipeOutlet((text, message) => this.transport?.send(text, message)), handlers, limits);
  }
}
