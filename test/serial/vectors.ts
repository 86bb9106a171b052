import { frameKinds } from '../../src/transport/serial/frame.ts';
import type { Frame } from '../../src/transport/serial/frame.ts';

/** A frame and its bytes. `ids`: the identifiers of both ends; undefined for a frame of no link. */
export interface Vector {
  readonly what: string;
  readonly ids?: readonly [number, number] | undefined;
  readonly frame: Frame;
  readonly bytes: string;
}

const [client, server] = [0x01020304, 0xa0b0c0d0];
const none = Buffer.alloc(0);

/** The examples of docs/serial.md, which the C reference passes too. */
export const vectors: readonly Vector[] = [
  {
    what: 'hello',
    frame: { kind: frameKinds.hello, side: 'client', number: 0, expected: 0, window: 8, payload: Buffer.from('04030201', 'hex') },
    bytes: '0218010b08040403020170abd72000',
  },
  {
    what: 'welcome',
    frame: { kind: frameKinds.welcome, side: 'server', number: 0, expected: 0, window: 8, payload: Buffer.from('d0c0b0a004030201', 'hex') },
    bytes: '0211010f0808d0c0b0a0040302015fc512a600',
  },
  {
    what: 'data',
    ids: [client, server],
    frame: { kind: frameKinds.data, side: 'client', number: 0, expected: 0, window: 8, payload: Buffer.from('{"id":1}\n') },
    bytes: '021a011008097b226964223a317d0a820155e900',
  },
  {
    what: 'data with zeros',
    ids: [client, server],
    frame: { kind: frameKinds.data, side: 'server', number: 255, expected: 1, window: 4, payload: Buffer.from('0000610000', 'hex') },
    bytes: '0612ff01040501026101059c87577600',
  },
  {
    what: 'acknowledgement',
    ids: [client, server],
    frame: { kind: frameKinds.ack, side: 'server', number: 2, expected: 1, window: 0, payload: none },
    bytes: '041302010105b53bbed400',
  },
  {
    what: 'reject',
    ids: [client, server],
    frame: { kind: frameKinds.reject, side: 'server', number: 0, expected: 3, window: 8, payload: none },
    bytes: '021503030805f858aa3a00',
  },
  {
    what: 'bye',
    ids: [client, server],
    frame: { kind: frameKinds.bye, side: 'client', number: 9, expected: 9, window: 8, payload: none },
    bytes: '051e09090805b5a3e53d00',
  },
];
