import type { ServerPresence } from './topics.ts';

/** How a connection to the broker is made: the names are those of MQTT.js, whose `connect` takes these settings. */
export interface MqttSettings {
  /** The MQTT Client ID. */
  readonly clientId: string;
  readonly protocolVersion: 5;
  /** The broker keeps nothing of an earlier connection. */
  readonly clean: true;
  /** A connection that is lost is not made again: barewire makes another one, with settings of its own. */
  readonly reconnectPeriod: 0;
  /** What the broker says when this connection is lost. */
  readonly will: { readonly topic: string; readonly payload: string; readonly qos: 1; readonly retain: boolean; readonly properties: { readonly userProperties: UserProperties } };
  readonly properties: { readonly sessionExpiryInterval: 0; readonly userProperties: UserProperties };
}

/** User properties of MQTT 5. */
export type UserProperties = Record<string, string | string[]>;

/** What is used of a message that came. */
export interface MqttPacket {
  readonly retain?: boolean | undefined;
  readonly properties?: { readonly userProperties?: object | undefined } | undefined;
}

/** What is used of a connection to a broker: an `MqttClient` of MQTT.js, or anything with these methods. */
export interface MqttConnection {
  /** Publishes a message; resolves once the broker has it. */
  publishAsync(topic: string, message: string, options: { readonly qos: 1; readonly retain: boolean; readonly properties: { readonly userProperties: UserProperties } }): Promise<unknown>;
  /** `nl`: what this connection publishes does not come back to it. */
  subscribeAsync(topic: string, options: { readonly qos: 1; readonly nl: boolean }): Promise<unknown>;
  /** Ends a subscription. */
  unsubscribeAsync(topic: string): Promise<unknown>;
  /** Disconnects. The broker does not publish the will. */
  endAsync(): Promise<unknown>;
  /** The connection is there, or gone. */
  on(event: 'connect' | 'close', listener: () => void): unknown;
  /** What went wrong. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** A message that came. */
  on(event: 'message', listener: (topic: string, payload: Uint8Array, packet: MqttPacket) => void): unknown;
}

/** Makes a connection to the broker, such as `(settings) => mqtt.connect('mqtts://broker.example', settings)`. */
export type MqttConnect = (settings: MqttSettings) => MqttConnection;

/** One of both ends. */
export type MqttComponent = 'mcp-client' | 'mcp-server';

/** What is told of a connection. */
export interface MqttLinkEvents {
  message(topic: string, payload: Uint8Array, packet: MqttPacket): void;
  /** The connection is gone. */
  gone(why: string): void;
}

/** A connection that is open: each message with QoS 1 and the properties that the transport demands. */
export interface MqttLink {
  readonly clientId: string;
  publish(topic: string, text: string, retain?: boolean): Promise<void>;
  subscribe(topic: string, noLocal?: boolean): Promise<void>;
  unsubscribe(topic: string): void;
  end(): Promise<void>;
}

/** What is published for this end when it is gone, in an orderly way or not. */
export interface MqttWill {
  readonly topic: string;
  readonly text: string;
  readonly retain: boolean;
}

/** Opens a connection, and resolves when the broker has accepted it. Rejects where it does not. */
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

/** An identifier that nobody else has: 128 random bits, or as many as the runtime has. */
export function uniqueId(): string {
  return globalThis.crypto?.randomUUID?.() ?? `${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}`;
}
