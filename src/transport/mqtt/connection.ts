import type { ServerPresence } from './topics.ts';

/** The settings of a connection to the broker, with the names of MQTT.js, whose `connect` accepts them. */
export interface MqttSettings {
  /** The MQTT Client ID. */
  readonly clientId: string;
  readonly protocolVersion: 5;
  /** The broker drops the state of earlier connections. */
  readonly clean: true;
  /** MQTT.js must not reconnect: barewire opens a new connection with new settings. */
  readonly reconnectPeriod: 0;
  /** The message that the broker publishes when this connection is lost. */
  readonly will: { readonly topic: string; readonly payload: string; readonly qos: 1; readonly retain: boolean; readonly properties: { readonly userProperties: UserProperties } };
  readonly properties: { readonly sessionExpiryInterval: 0; readonly userProperties: UserProperties };
}

/** User properties of MQTT 5. */
export type UserProperties = Record<string, string | string[]>;

/** The part of a received message that barewire uses. */
export interface MqttPacket {
  readonly retain?: boolean | undefined;
  readonly properties?: { readonly userProperties?: object | undefined } | undefined;
}

/** A connection to a broker: an `MqttClient` of MQTT.js, or any object with these methods. */
export interface MqttConnection {
  /** Publishes a message; resolves when the broker has it. */
  publishAsync(topic: string, message: string, options: { readonly qos: 1; readonly retain: boolean; readonly properties: { readonly userProperties: UserProperties } }): Promise<unknown>;
  /** Subscribes. `nl` (no local): the broker does not send back messages of this connection. */
  subscribeAsync(topic: string, options: { readonly qos: 1; readonly nl: boolean }): Promise<unknown>;
  /** Ends a subscription. */
  unsubscribeAsync(topic: string): Promise<unknown>;
  /** Disconnects. The broker does not publish the will. */
  endAsync(): Promise<unknown>;
  /** The connection was opened or closed. */
  on(event: 'connect' | 'close', listener: () => void): unknown;
  /** The connection failed. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** A message has arrived. */
  on(event: 'message', listener: (topic: string, payload: Uint8Array, packet: MqttPacket) => void): unknown;
}

/** Opens a connection to the broker, such as `(settings) => mqtt.connect('mqtts://broker.example', settings)`. */
export type MqttConnect = (settings: MqttSettings) => MqttConnection;

/** The role of a connection. */
export type MqttComponent = 'mcp-client' | 'mcp-server';

/** The callbacks of a connection. */
export interface MqttLinkEvents {
  message(topic: string, payload: Uint8Array, packet: MqttPacket): void;
  /** The connection has closed. */
  gone(why: string): void;
}

/** An open connection. It publishes each message with QoS 1 and the properties that the transport requires. */
export interface MqttLink {
  readonly clientId: string;
  publish(topic: string, text: string, retain?: boolean): Promise<void>;
  subscribe(topic: string, noLocal?: boolean): Promise<void>;
  unsubscribe(topic: string): void;
  end(): Promise<void>;
}

/** The message that the broker publishes when this connection is lost. */
export interface MqttWill {
  readonly topic: string;
  readonly text: string;
  readonly retain: boolean;
}

/** Opens a connection. Resolves when the broker has accepted it; rejects if it does not. */
export function openMqtt(
  connect: MqttConnect, clientId: string, component: MqttComponent, will: MqttWill, meta: ServerPresence | undefined, events: MqttLinkEvents,
): Promise<MqttLink> {
  const userProperties: UserProperties = { 'MCP-COMPONENT-TYPE': component, 'MCP-MQTT-CLIENT-ID': clientId };
  return new Promise((resolve, reject) => {
    const connection = connect({
      clientId, protocolVersion: 5, clean: true, reconnectPeriod: 0,
      will: { topic: will.topic, payload: will.text, qos: 1, retain: will.retain, properties: { userProperties } },
      properties: {
        sessionExpiryInterval: 0,
        userProperties: { 'MCP-COMPONENT-TYPE': component, ...meta && { 'MCP-META': JSON.stringify(meta) } },
      },
    });
    let open = false;
    let ended = false;
    let fault: Error | undefined;
    const link: MqttLink = {
      clientId,
      async publish(topic, text, retain = false) {
        await connection.publishAsync(topic, text, { qos: 1, retain, properties: { userProperties } });
      },
      async subscribe(topic, noLocal = false) {
        await connection.subscribeAsync(topic, { qos: 1, nl: noLocal });
      },
      unsubscribe: (topic) => void connection.unsubscribeAsync(topic).catch(ignore),
      async end() {
        ended = true;
        await connection.endAsync().catch(ignore);
      },
    };
    connection.on('error', (error) => {
      fault = error;
    });
    connection.on('connect', () => {
      open = true;
      resolve(link);
    });
    connection.on('message', (topic, payload, packet) => {
      if (!ended) events.message(topic, payload, packet);
    });
    connection.on('close', () => {
      if (ended) return;
      ended = true;
      const why = fault === undefined ? 'the connection to the broker was closed' : `the connection to the broker was closed: ${fault.message}`;
      if (open) events.gone(why);
      else reject(new Error(why));
    });
  });
}

function ignore(): void {}

/** A unique identifier: a random UUID, or two `Math.random()` numbers if the runtime has no `crypto`. */
export function uniqueId(): string {
  return globalThis.crypto?.randomUUID?.() ?? `${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}`;
}
