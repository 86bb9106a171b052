import { peerBudget } from '../../bounds/budget.ts';
import { systemClock } from '../../bounds/clock.ts';
import type { Clock, Timer } from '../../bounds/clock.ts';
import { checkOptions } from '../../bounds/options.ts';
import { decodeUnchecked, tooLarge } from '../../jsonrpc/message.ts';
import { tell } from '../../jsonrpc/errors.ts';
import { pipeOutlet } from '../../jsonrpc/inbound-request.ts';
import type { Auth } from '../auth.ts';
import type { ServedClient, ServerPort } from '../server-port.ts';
import type { Trace } from '../trace.ts';
import { openMqtt, uniqueId } from './connection.ts';
import type { MqttConnect, MqttLink, MqttPacket } from './connection.ts';
import { checkName, clientCapability, clientPresence, disconnected, isLevel, saysDisconnected, serverTopics, tellsOfList } from './topics.ts';
import type { ServerPresence, ServerTopics } from './topics.ts';

/** The options of `serveMqtt`. */
export interface ServeMqttOptions {
  /** The server's name: levels separated by `/`, such as `home/attic/sensor`. Several processes may serve one name. */
  readonly name: string;
  /** The MQTT Client ID of this process, unique at the broker. Default: random. */
  readonly id?: string | undefined;
  /** The description that clients read before they connect. */
  readonly presence?: ServerPresence | undefined;
  /**
   * Returns the identity of a client by its MQTT Client ID, which the rules of the broker must verify. Must throw or reject to
   * refuse the client. Without it clients have no identity, and a server with `scopes` is not served.
   */
  readonly auth?: ((clientId: string) => Auth | undefined | Promise<Auth | undefined>) | undefined;
  /** Clients at one time; further clients get `notifications/disconnected`. 1000. */
  readonly maxClients?: number | undefined;
  /** Bytes of one message; a longer one is refused. 1 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** Milliseconds before reconnecting to the broker; doubled after each failure, up to 60,000. 1000. */
  readonly retryMs?: number | undefined;
  /** Called for lost and failed connections, and for clients that cannot connect. */
  readonly onError?: ((error: Error) => void) | undefined;
  /** Called with each message; `received`: from a client. */
  readonly trace?: Trace | undefined;
  /** Default: the clock of the runtime. */
  readonly clock?: Clock | undefined;
}

/** An online server. */
export interface MqttServing {
  /** The MQTT Client ID. */
  readonly id: string;
  /** Notifies the clients, clears the presence, and disconnects. */
  close(): Promise<void>;
}

const mostRetryMs = 60_000;

/**
 * Serves a server over a broker, in every revision. Resolves when it is online; rejects if the first connection fails.
 * If the connection is lost later, all sessions end and it reconnects.
 */
export async function serveMqtt(server: ServerPort, connect: MqttConnect, options: ServeMqttOptions): Promise<MqttServing> {
  checkOptions('serveMqtt: options', options, {
    name: 'string', id: 'string', presence: { description: 'string', meta: 'object' }, auth: 'function', maxClients: 'number', maxMessageBytes: 'number',
    retryMs: 0, onError: 'function', trace: 'function', clock: 'object',
  });
  const serving = new Serving(server, connect, options);
  await serving.open();
  return serving;
}

/** One client: its peer, after it was admitted, and its earlier messages. */
interface MqttClientSession {
  peer?: ServedClient;
  /** Whether `auth` has returned an identity. */
  known?: boolean;
  /** Resolves when all earlier messages have been handled. */
  turn: Promise<void>;
  /** Bytes of the messages that wait for `turn`. */
  waiting: number;
}

const scoped = 'the server has scopes, and `auth` gives no identity';

class Serving implements MqttServing {
  readonly id: string;
  readonly #server: ServerPort;
  readonly #connect: MqttConnect;
  readonly #options: ServeMqttOptions;
  readonly #topics: ServerTopics;
  readonly #clock: Clock;
  readonly #maxMessageBytes: number;
  readonly #clients = new Map<string, MqttClientSession>();
  #link: MqttLink | undefined;
  #closed = false;
  #retry: Timer | undefined;
  #retryMs: number;
  /** The `list_changed` notifications already published in this turn: one publication reaches all clients. */
  #told = new Set<string>();

  constructor(server: ServerPort, connect: MqttConnect, options: ServeMqttOptions) {
    const { name, id = uniqueId(), clock = systemClock, maxMessageBytes = 1_048_576, retryMs = 1000 } = options;
    checkName('serveMqtt: options.name', name);
    if (!isLevel(id)) throw new TypeError('serveMqtt: options.id has /, + or #, or is too long');
    if (server.scoped && !options.auth) throw new TypeError(`serveMqtt: ${scoped}`);
    this.id = id;
    this.#server = server;
    this.#connect = connect;
    this.#options = options;
    this.#clock = clock;
    this.#maxMessageBytes = maxMessageBytes;
    this.#retryMs = retryMs;
    this.#topics = serverTopics(id, name);
  }

  async open(): Promise<void> {
    const { presence, name } = this.#options;
    const link = await openMqtt(this.#connect, this.id, 'mcp-server', { topic: this.#topics.presence, text: '', retain: true }, presence, {
      message: (topic, payload, packet) => this.#take(topic, payload, packet),
      gone: (why) => this.#lost(why),
    });
    if (this.#closed) return link.end();
    this.#link = link;
    await link.subscribe(this.#topics.control);
    const online = { jsonrpc: '2.0', method: 'notifications/server/online', params: { server_name: name, ...presence } };
    await link.publish(this.#topics.presence, JSON.stringify(online), true);
    this.#retryMs = this.#options.retryMs ?? 1000;
  }

  #lost(why: string): void {
    this.#link = undefined;
    for (const clientId of [...this.#clients.keys()]) this.#end(clientId, why);
    tell(this.#options.onError, new Error(why));
    this.#again();
  }

  #again(): void {
    if (this.#closed) return;
    this.#retry = this.#clock.after(this.#retryMs, () => {
      this.#retryMs = Math.min(mostRetryMs, this.#retryMs * 2);
      this.open().catch((error: unknown) => {
        tell(this.#options.onError, error);
        this.#again();
      });
    });
  }

  #take(topic: string, payload: Uint8Array, packet: MqttPacket): void {
    if (topic === this.#topics.control) {
      const clientId = (packet.properties?.userProperties as Record<string, unknown> | undefined)?.['MCP-MQTT-CLIENT-ID'];
      // Without a client id there is no topic for a response.
      if (isLevel(clientId)) this.#receive(clientId, payload, true);
      return;
    }
    const [kind, second, third] = topic.split('/');
    if (kind === '$mcp-rpc' && second !== undefined && topic === this.#topics.rpc(second)) this.#receive(second, payload, false);
    else if (kind === '$mcp-client' && second === 'presence' && third !== undefined) this.#end(third, 'the client is disconnected');
    else if (kind === '$mcp-client' && second === 'capability' && third !== undefined) this.#receive(third, payload, false);
  }

  #receive(clientId: string, payload: Uint8Array, first: boolean): void {
    let client = this.#clients.get(clientId);
    if (!client) {
      if (!first) return;
      if (this.#clients.size >= (this.#options.maxClients ?? 1000)) return this.#say(this.#topics.rpc(clientId), disconnected);
      client = { turn: Promise.resolve(), waiting: 0 };
      this.#clients.set(clientId, client);
      client.turn = this.#admit(clientId, client);
    }
    const known = client;
    if (known.peer && known.waiting === 0) return this.#hear(clientId, known, payload);
    // Messages wait until the client is admitted, up to the size of one message. A client that sends more is disconnected.
    if (known.waiting + payload.length > this.#maxMessageBytes) {
      const why = `the client sent more than ${this.#maxMessageBytes} bytes before it was admitted`;
      tell(this.#options.onError, new Error(why));
      return this.#dismiss(clientId, why);
    }
    known.waiting += payload.length;
    known.turn = known.turn.then(() => {
      known.waiting -= payload.length;
      this.#hear(clientId, known, payload);
    });
  }

  /** Authenticates a client and subscribes to its topics, before the first response. */
  async #admit(clientId: string, client: MqttClientSession): Promise<void> {
    try {
      const auth = await this.#options.auth?.(clientId);
      const link = this.#link;
      if (!link || this.#clients.get(clientId) !== client) return;
      await link.subscribe(clientPresence(clientId));
      await link.subscribe(clientCapability(clientId));
      await link.subscribe(this.#topics.rpc(clientId), true);
      if (this.#clients.get(clientId) !== client) {
        // The topics may belong to a newer session of the client.
        if (!this.#clients.has(clientId)) this.#unsubscribe(clientId);
        return;
      }
      client.known = auth !== undefined;
      const budget = peerBudget();
      const outlet = pipeOutlet((text) => {
        if (this.#clients.get(clientId) === client) this.#tell(clientId, text);
      });
      client.peer = this.#server.connect(outlet, { auth, modern: true, budget, onSilent: (why) => this.#dismiss(clientId, why) });
    } catch (thrown) {
      tell(this.#options.onError, thrown);
      if (this.#clients.get(clientId) === client) this.#dismiss(clientId, 'the client is not allowed to connect');
    }
  }

  #hear(clientId: string, client: MqttClientSession, payload: Uint8Array): void {
    if (this.#clients.get(clientId) !== client || !client.peer) return;
    // Read for each message: what has scopes may have been registered after the client was admitted.
    if (this.#server.scoped && !client.known) {
      tell(this.#options.onError, new TypeError(scoped));
      return this.#dismiss(clientId, 'the client is not allowed to connect');
    }
    const large = payload.length > this.#maxMessageBytes;
    const text = (): string => new TextDecoder().decode(large ? payload.subarray(0, 256) : payload);
    this.#options.trace?.({ direction: 'received', text: text(), at: this.#clock.now() });
    const decoded = large ? tooLarge(`the limit of ${this.#maxMessageBytes} bytes`, `${text()}…`) : decodeUnchecked(payload);
    if (saysDisconnected(decoded)) this.#end(clientId, 'the client is disconnected');
    else client.peer.receive(decoded);
  }

  #tell(clientId: string, text: string): void {
    this.#options.trace?.({ direction: 'sent', text, at: this.#clock.now() });
    if (!tellsOfList(text)) return this.#say(this.#topics.rpc(clientId), text);
    // All clients read this topic: publish the notification once.
    if (this.#told.has(text)) return;
    this.#told.add(text);
    this.#clock.soon(() => this.#told.delete(text));
    this.#say(this.#topics.capability, text);
  }

  #say(topic: string, text: string): void {
    // If it fails, the connection is about to close.
    this.#link?.publish(topic, text).catch(() => {});
  }

  /** Ends a session and notifies the client. */
  #dismiss(clientId: string, why: string): void {
    this.#say(this.#topics.rpc(clientId), disconnected);
    this.#end(clientId, why);
  }

  #end(clientId: string, why: string): void {
    const client = this.#clients.get(clientId);
    if (!client) return;
    this.#clients.delete(clientId);
    client.peer?.close(why);
    this.#unsubscribe(clientId);
  }

  #unsubscribe(clientId: string): void {
    for (const topic of [clientPresence(clientId), clientCapability(clientId), this.#topics.rpc(clientId)]) this.#link?.unsubscribe(topic);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#retry?.stop();
    for (const clientId of [...this.#clients.keys()]) this.#dismiss(clientId, 'the server was closed');
    const link = this.#link;
    this.#link = undefined;
    await link?.publish(this.#topics.presence, '', true).catch(() => {});
    await link?.end();
  }
}
