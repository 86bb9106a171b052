import type { Clock, Timer } from '../bounds/clock.ts';
import { takeBatch } from '../jsonrpc/batch.ts';
import { Connection } from '../jsonrpc/connection.ts';
import { ConnectionError } from '../jsonrpc/errors.ts';
import type { ConnectionHandlers } from '../jsonrpc/connection.ts';
import type { Bag, RequestId } from '../jsonrpc/message.ts';
import { notify, pipeOutlet } from '../jsonrpc/inbound-request.ts';
import type { PendingRequests, RequestOptions } from '../jsonrpc/pending-requests.ts';
import { weighValue } from '../bounds/weight.ts';
import * as revisionTable from '../protocol/revisions.ts';
import { clientLifecycle } from '../protocol/lifecycle.ts';
import type { Implementation, LifecycleEvent, LifecycleState } from '../protocol/lifecycle.ts';
import type { LoggingLevel } from '../protocol/logging.ts';
import { requestMeta } from '../protocol/meta.ts';
import { requestsOf } from '../protocol/progress.ts';
import { findRevision, selectRevisions } from '../protocol/revisions.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { ClientReceiver, ClientTransport } from '../transport/client-port.ts';
import { declaredCapabilities, declaredInfo, findAgreement, Terms } from './negotiation.ts';
import type { Agreement } from './negotiation.ts';
import type { CoreClientLimits, CoreClientOptions } from './options.ts';

/** The memory that a server's name, capabilities and instructions may take, in bytes. */
const maxHeldBytes = 262_144;

/** The interface of a client for its link. */
export interface LinkPort {
  readonly info: Implementation;
  readonly options: CoreClientOptions;
  readonly limits: CoreClientLimits;
  readonly clock: Clock;
  readonly receiver: ClientReceiver;
  readonly handlers: ConnectionHandlers;
  /**
   * Called after each agreement; a legacy server has received `notifications/initialized` then. With a legacy server the link waits
   * for the promise.
   */
  begin(terms: Terms): Promise<unknown> | undefined;
}

/**
 * The link to a server: its transport, the connection on it, and the agreement. It is opened, closed, and made again
 * after the server has gone or has forgotten the session.
 */
export class Link {
  /** The result of the last handshake or discovery; undefined before the first one. */
  terms: Terms | undefined;
  /** Whether the next request needs a new agreement, which may be in progress. */
  stale = false;
  transport: ClientTransport | undefined;
  connection: Connection;
  /** Our requests on the connection. */
  requests: PendingRequests;
  state: LifecycleState = 'new';
  /** The number of agreements so far. */
  count = 0;
  /** The least severe log level that the user wants. */
  logLevel: LoggingLevel | undefined;
  /** The new agreement in progress. */
  renewing: Promise<void> | undefined;
  /** Whether the revision is not decided yet. */
  deciding = false;
  /** The server has gone, and the transport can start it again. */
  #gone = false;
  /** Releases the charge for the agreement. */
  #release: (() => void) | undefined;
  readonly #port: LinkPort;
  readonly #revisions: readonly Revision[];

  constructor(port: LinkPort) {
    const { era = 'auto', revisions } = port.options;
    this.#port = port;
    this.logLevel = port.options.logLevel;
    this.#revisions = selectRevisions(revisions).filter((revision) => era === 'auto' || revision.era === era);
    if (this.#revisions.length === 0) throw new RangeError(`no ${era} revision is allowed`);
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

  /** Called when the server has gone. The next request starts it again if the transport can. */
  lost(): void {
    this.#forget();
    this.#gone = this.stale = this.transport?.reopen !== undefined;
  }

  /** `_meta` of every request in a modern revision. */
  metaFor(revision: Revision): Bag {
    const { info, options } = this.#port;
    const logLevel = this.logLevel ?? (options.onLog && 'info');
    return requestMeta({ revision, client: declaredInfo(info, revision), capabilities: declaredCapabilities(options, revision), logLevel });
  }

  /** The server may be a different one now: results of the old one are invalid. */
  #forget(): void {
    this.#port.options.cache?.clear();
  }

  /** Makes a new agreement, shared by all requests that need one. */
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
    let timer: Timer | undefined;
    let agreement: Agreement;
    this.deciding = true;
    try {
      agreement = await findAgreement({
        info: port.info,
        options: port.options,
        revisions: this.#revisions,
        remembered,
        discover: (revision) =>
          this.ask('server/discover', { _meta: this.metaFor(revision) }, undefined, (id) => asked.push(id)),
        initialize: (params) => this.#initialize(params, asked),
        silence: pipe ? () => new Promise((resolve) => {
          timer = port.clock.after(port.limits.probeTimeoutMs, resolve);
        }) : undefined,
        restart: pipe && transport.reopen ? () => this.#restart(transport) : undefined,
      });
    } finally {
      timer?.stop();
      // Open requests of the negotiation are not cancelled; late answers to them are dropped.
      for (const id of asked) this.requests.fail(id, new Error('the other era was found'));
      this.deciding = false;
    }
    this.#letGo();
    this.#hold(agreement);
    const { revision } = agreement;
    const modern = revision.era === 'modern';
    const headers = modern ? transport.toolHeaders?.(port.receiver.error) : undefined;
    const terms = this.terms = new Terms(agreement, port.options, modern ? this.metaFor(revision) : undefined, headers);
    this.connection.takeBatch = revisionTable.batching(revision) ? takeBatch : undefined;
    this.connection.nullErrorId = revisionTable.nullErrorId(revision);
    transport.agreed?.(revision);
    this.count++;
    if (modern) {
      // There is no handshake to wait for.
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
      throw new Error(`the server's name, capabilities and instructions exceed ${maxHeldBytes} bytes or the memory limit`);
    }
    this.#release = () => budget.release(weight);
  }

  #initialize(params: Bag, asked: RequestId[]): Promise<Bag> {
    // A failed handshake is undone.
    if (this.state === 'initializing') this.state = 'new';
    this.#step('initialize');
    return this.ask('initialize', params, undefined, (id) => asked.push(id));
  }

  /** Sends one request on the current connection; `sent` receives its id. */
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
    if (next === undefined) throw new Error(`${event}: not allowed in the state ${this.state}`);
    this.state = next;
  }

  async #restart(transport: ClientTransport): Promise<void> {
    if (this.transport === transport) await transport.reopen?.();
    if (this.transport !== transport) {
      // The client was closed: do not leave a server running.
      await transport.close();
      throw new ConnectionError('closed', 'the client was closed');
    }
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
    const { handlers, limits, clock } = this.#port;
    return new Connection(pipeOutlet((text, message) => this.transport?.send(text, message)), handlers, limits, undefined, clock);
  }
}
