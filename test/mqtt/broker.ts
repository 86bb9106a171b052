import type { MqttConnect, MqttConnection, MqttPacket, MqttSettings } from '../../src/transport/mqtt/index.ts';

type Publish = Parameters<MqttConnection['publishAsync']>;

/** A broker in memory with the parts of MQTT 5 that the transport uses. `npm run mqtt` uses a real one. */
export class Broker {
  readonly #connections = new Set<Connection>();
  readonly #retained = new Map<string, { payload: string; packet: MqttPacket }>();
  /** All published messages. */
  readonly published: { readonly from: string; readonly topic: string; readonly payload: string }[] = [];
  /** Whether connections are accepted. */
  up = true;

  readonly connect: MqttConnect = (settings) => {
    const connection = new Connection(this, settings);
    setImmediate(() => {
      if (!this.up) return connection.drop();
      // A new connection replaces the older one with its identifier.
      for (const other of this.#connections) if (other.settings.clientId === settings.clientId) this.cut(other.settings.clientId);
      this.#connections.add(connection);
      connection.emit('connect');
    });
    return connection;
  };

  /** The identifiers of the connected clients. */
  get clients(): string[] {
    return [...this.#connections].map(({ settings }) => settings.clientId);
  }

  /** The topics that a client subscribes to. */
  topicsOf(clientId: string): string[] {
    return [...this.#connections].filter(({ settings }) => settings.clientId === clientId).flatMap(({ filters }) => [...filters.keys()]);
  }

  publish(from: Connection | undefined, topic: string, payload: string, retain: boolean, packet: MqttPacket): void {
    this.published.push({ from: from?.settings.clientId ?? '', topic, payload });
    if (retain && payload === '') this.#retained.delete(topic);
    else if (retain) this.#retained.set(topic, { payload, packet });
    for (const connection of this.#connections) connection.offer(from, topic, payload, packet);
  }

  subscribed(connection: Connection, filter: string): void {
    for (const [topic, { payload, packet }] of this.#retained) if (fits(filter, topic)) connection.deliver(topic, payload, packet);
  }

  left(connection: Connection, orderly: boolean): void {
    if (!this.#connections.delete(connection) || orderly) return;
    const { topic, payload, retain, properties } = connection.settings.will;
    this.publish(connection, topic, payload, retain, { properties });
  }

  /** Breaks a client's connection; the broker publishes its last will. */
  cut(clientId: string): void {
    for (const connection of this.#connections) {
      if (connection.settings.clientId !== clientId) continue;
      this.left(connection, false);
      connection.drop();
    }
  }

  /** Stops the broker: no last will is published, and retained messages are lost. */
  fall(): void {
    this.up = false;
    const all = [...this.#connections];
    this.#connections.clear();
    this.#retained.clear();
    for (const connection of all) connection.drop();
  }
}

/** A client's connection. */
class Connection implements MqttConnection {
  readonly settings: MqttSettings;
  readonly filters: Map<string, { readonly nl: boolean }> = new Map();
  readonly #broker: Broker;
  readonly #listeners = new Map<string, ((...values: never[]) => void)[]>();
  #gone = false;

  constructor(broker: Broker, settings: MqttSettings) {
    this.#broker = broker;
    this.settings = settings;
  }

  on(event: string, listener: (...values: never[]) => void): this {
    this.#listeners.set(event, [...this.#listeners.get(event) ?? [], listener]);
    return this;
  }

  emit(event: string, ...values: unknown[]): void {
    for (const listener of this.#listeners.get(event) ?? []) Reflect.apply(listener, undefined, values);
  }

  drop(): void {
    if (this.#gone) return;
    this.#gone = true;
    setImmediate(() => this.emit('close'));
  }

  offer(from: Connection | undefined, topic: string, payload: string, packet: MqttPacket): void {
    const [fitting] = [...this.filters].filter(([filter, { nl }]) => fits(filter, topic) && !(nl && from === this));
    if (fitting) this.deliver(topic, payload, packet);
  }

  deliver(topic: string, payload: string, packet: MqttPacket): void {
    setImmediate(() => {
      if (!this.#gone) this.emit('message', topic, Buffer.from(payload), packet);
    });
  }

  async publishAsync(...[topic, message, { retain, properties }]: Publish): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#gone) throw new Error('not connected');
    this.#broker.publish(this, topic, message, retain, { properties });
  }

  async subscribeAsync(filter: string, { nl }: { readonly nl: boolean }): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#gone) throw new Error('not connected');
    this.filters.set(filter, { nl });
    this.#broker.subscribed(this, filter);
  }

  async unsubscribeAsync(filter: string): Promise<void> {
    this.filters.delete(filter);
  }

  async endAsync(): Promise<void> {
    if (this.#gone) return;
    this.#gone = true;
    this.#broker.left(this, true);
    setImmediate(() => this.emit('close'));
  }
}

/** True if a topic matches a filter, with `+` for one level and `#` for the rest. */
function fits(filter: string, topic: string): boolean {
  const levels = topic.split('/');
  const wanted = filter.split('/');
  for (const [i, level] of wanted.entries()) {
    if (level === '#') return true;
    if (level !== '+' && level !== levels[i]) return false;
    if (levels[i] === undefined) return false;
  }
  return wanted.length === levels.length;
}
