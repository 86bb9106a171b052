import { systemClock } from '../../bounds/clock.ts';
import type { Clock } from '../../bounds/clock.ts';
import { checkOptions } from '../../bounds/options.ts';
import { decode } from '../../jsonrpc/message.ts';
import { ConnectionError, errorMessage } from '../../jsonrpc/errors.ts';
import type { ClientReceiver, ClientTransport } from '../client-port.ts';
import type { Trace } from '../trace.ts';
import { openMqtt, uniqueId } from './connection.ts';
import type { MqttConnect, MqttLink } from './connection.ts';
import { checkName, clientCapability, clientPresence, disconnected, isLevel, presenceOf, saysDisconnected, serverTopics } from './topics.ts';
import type { ServerTopics } from './topics.ts';

/** The options of `mqttTransport`. */
export interface MqttTransportOptions {
  /** The server's name. */
  readonly server: string;
  /** The MQTT Client ID of the server process. Default: the first process that is online. */
  readonly serverId?: string | undefined;
  /** Milliseconds to wait until the server is online. 30,000. */
  readonly openMs?: number | undefined;
  /** Bytes of one message from the server; a longer one ends the session. 16 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** Called with each message; `sent`: from the client. */
  readonly trace?: Trace | undefined;
  /** Default: the clock of the runtime. */
  readonly clock?: Clock | undefined;
}

/**
 * Connects a client to the server with this name over a broker. Each session has its own connection and MQTT Client ID, as
 * the transport requires. The session ends when the server or the broker is gone; the next request opens another one.
 */
export function mqttTransport(connect: MqttConnect, options: MqttTransportOptions): ClientTransport {
  checkOptions('mqttTransport: options', options, {
    server: 'string', serverId: 'string', openMs: 0, maxMessageBytes: 'number', trace: 'function', clock: 'object',
  });
  checkName('mqttTransport: options.server', options.server);
  if (options.serverId !== undefined && !isLevel(options.serverId)) throw new TypeError('mqttTransport: options.serverId has /, + or #, or is too long');
  let receiver: ClientReceiver | undefined;
  let session: MqttSession | undefined;

  async function begin(to: ClientReceiver): Promise<void> {
    const mine = session = new MqttSession(connect, options, to, () => {
      if (session === mine) session = undefined;
    });
    try {
      await mine.open();
    } catch (thrown) {
      await mine.close();
      throw thrown instanceof ConnectionError ? thrown : new ConnectionError('closed', errorMessage(thrown), { cause: thrown });
    }
  }

  return {
    kind: 'pipe',
    async open(to) {
      if (receiver !== undefined) throw new Error('The MQTT transport has been opened before; use reopen()');
      receiver = to;
      await begin(to);
    },
    send(text, message) {
      if (session) session.send(text);
      else if (message?.id !== undefined) receiver?.failed(message.id, new ConnectionError('closed', 'the session with the server is over'));
    },
    async reopen() {
      if (receiver === undefined) throw new Error('The MQTT transport has not been opened');
      await session?.close();
      await begin(receiver);
    },
    async close() {
      await session?.close();
    },
  };
}

/** One session: a connection to the broker, and the topics of one server. */
class MqttSession {
  readonly #connect: MqttConnect;
  readonly #options: MqttTransportOptions;
  readonly #to: ClientReceiver;
  readonly #over: () => void;
  readonly #clock: Clock;
  readonly #clientId = uniqueId();
  #link: MqttLink | undefined;
  #topics: ServerTopics | undefined;
  #found: ((id: string) => void) | undefined;
  #failed: ((error: Error) => void) | undefined;
  /** True after the first message from the server: until then it reads only its control topic. */
  #known = false;
  #ended = false;

  constructor(connect: MqttConnect, options: MqttTransportOptions, to: ClientReceiver, over: () => void) {
    this.#connect = connect;
    this.#options = options;
    this.#to = to;
    this.#over = over;
    this.#clock = options.clock ?? systemClock;
  }

  async open(): Promise<void> {
    const { server, serverId, openMs = 30_000 } = this.#options;
    const link = await openMqtt(this.#connect, this.#clientId, 'mcp-client', { topic: clientPresence(this.#clientId), text: disconnected, retain: false }, undefined, {
      message: (topic, payload) => this.#take(topic, payload),
      gone: (why) => this.#end(why),
    });
    this.#link = link;
    const found = new Promise<string>((resolve, reject) => {
      const timer = this.#clock.after(openMs, () => reject(new ConnectionError('closed', `no server ${JSON.stringify(server)} was online within ${openMs} ms`)));
      this.#found = (id) => {
        timer?.stop();
        resolve(id);
      };
      this.#failed = (error) => {
        timer?.stop();
        reject(error);
      };
    });
    // `found` may reject before it is awaited below.
    found.catch(() => {});
    await link.subscribe(`$mcp-server/presence/${serverId ?? '+'}/${server}`);
    const topics = this.#topics = serverTopics(await found, server);
    await link.subscribe(topics.capability);
    await link.subscribe(topics.rpc(this.#clientId), true);
    if (this.#ended) throw new ConnectionError('closed', 'the server went offline');
  }

  #take(topic: string, payload: Uint8Array): void {
    const presence = presenceOf(topic);
    if (presence) {
      if (payload.length > 0) this.#found?.(presence.id);
      else if (topic === this.#topics?.presence) this.#end('the server went offline');
      return;
    }
    const mine = topic === this.#topics?.rpc(this.#clientId);
    if (!mine && topic !== this.#topics?.capability) return;
    const { maxMessageBytes = 16_777_216, trace } = this.#options;
    if (payload.length > maxMessageBytes) return this.#end(`the server sent a message of more than ${maxMessageBytes} bytes`);
    if (mine) this.#known = true;
    const decoded = decode(payload);
    trace?.({ direction: 'received', text: new TextDecoder().decode(payload), at: this.#clock.now() });
    if (saysDisconnected(decoded)) {
      if (mine) this.#end('the server has ended the session');
      return;
    }
    this.#to.message(decoded);
  }

  send(text: string): void {
    this.#options.trace?.({ direction: 'sent', text, at: this.#clock.now() });
    const topics = this.#topics;
    if (!topics) return;
    const topic = !this.#known ? topics.control
      : text.startsWith('{"jsonrpc":"2.0","method":"notifications/roots/list_changed"') ? clientCapability(this.#clientId)
        : topics.rpc(this.#clientId);
    this.#link?.publish(topic, text).catch((error: unknown) => this.#end(errorMessage(error)));
  }

  #end(why: string): void {
    if (this.#ended) return;
    const open = this.#topics !== undefined;
    this.#failed?.(new ConnectionError('closed', why));
    void this.close();
    if (open) this.#to.closed(why);
  }

  async close(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.#over();
    await this.#link?.publish(clientPresence(this.#clientId), disconnected).catch(() => {});
    await this.#link?.end();
  }
}
