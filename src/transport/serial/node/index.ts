/**
 * `barewire/serial/node`: `serialPort`.
 *
 * @module
 */

export { serialPort } from './serial-port.ts';
export type { SerialPortOptions } from './serial-port.ts';
