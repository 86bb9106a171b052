/**
 * `barewire/mqtt`: `serveMqtt`, `mqttTransport`.
 *
 * @module
 */

export { mqttTransport } from './client.ts';
export type { MqttTransportOptions } from './client.ts';
export type { MqttConnect, MqttConnection, MqttPacket, MqttSettings, UserProperties } from './connection.ts';
export { serveMqtt } from './serve.ts';
export type { MqttServing, ServeMqttOptions } from './serve.ts';
export type { ServerPresence } from './topics.ts';
