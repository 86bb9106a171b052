import { stuff, unstuff } from './cobs.ts';
import { crc32 } from './crc32.ts';

/** The kinds of frames. docs/serial.md has the format. */
export const frameKinds = { hello: 0, welcome: 1, data: 2, ack: 3, poll: 4, reject: 5, bye: 6 } as const;

/** One of `frameKinds`. */
export type FrameKind = (typeof frameKinds)[keyof typeof frameKinds];

/** The side of a link that sends a frame. A side that receives its own frame has an echo. */
export type LinkSide = 'client' | 'server';

/** One frame, without stuffing and checksum. */
export interface Frame {
  readonly kind: FrameKind;
  readonly side: LinkSide;
  /** The number of this data frame, modulo 256; in other frames, of the next data frame. */
  readonly number: number;
  /** The number of the data frame that the sender expects next, modulo 256. */
  readonly expected: number;
  /** The number of data frames, from `expected` on, that the sender of this frame accepts. */
  readonly window: number;
  readonly payload: Uint8Array;
}

/** The limits for the bytes of a frame on the wire: radios carry 20, and one byte of stuffing is enough for 256. */
export const leastFrameBytes = 20;
export const mostFrameBytes = 256;

/** Bytes of a frame in addition to its payload: five of the head, four of the checksum, two of the stuffing. */
export const frameOverhead = 11;

const version = 1;
const clientBit = 8;
const headBytes = 5;

/** The initial checksum state of hello and welcome frames, which belong to no link. */
export const noLink = -1;

/**
 * The initial checksum state of the frames of a link. It depends on the identifiers of both sides, so that a late frame of
 * an earlier link fails its check.
 */
export function linkState(one: number, other: number): number {
  return crc32(crc32(-1, numberBytes(Math.min(one, other))), numberBytes(Math.max(one, other)));
}

/** The four bytes of a number from 0 to 2^32 - 1, the lowest first. */
export function numberBytes(value: number): Uint8Array {
  return Uint8Array.of(value, value >>> 8, value >>> 16, value >>> 24);
}

/** Reads the four bytes of a number at `at`, the lowest first. */
export function numberAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) | (bytes[at + 1] as number) << 8 | (bytes[at + 2] as number) << 16 | (bytes[at + 3] as number) << 24) >>> 0;
}

/** Encodes a frame for the wire. `state`: `noLink`, or `linkState`. */
export function writeFrame({ kind, side, number, expected, window, payload }: Frame, state: number): Uint8Array {
  const content = new Uint8Array(headBytes + payload.length + 4);
  content.set([version << 4 | (side === 'client' ? clientBit : 0) | kind, number, expected, window, payload.length]);
  content.set(payload, headBytes);
  const end = headBytes + payload.length;
  content.set(numberBytes(~crc32(state, content.subarray(0, end))), end);
  return stuff(content);
}

/**
 * Decodes the bytes between two zeros, and changes them. Undefined if they are damaged, or not a frame of this version.
 * `state`: the `linkState`; hello and welcome are checked with `noLink`.
 */
export function readFrame(bytes: Uint8Array, state: number): Frame | undefined {
  const content = unstuff(bytes);
  if (!content || content.length < headBytes + 4) return undefined;
  const [first, number, expected, window, length] = content as unknown as [number, number, number, number, number];
  const kind = (first & 7) as FrameKind | 7;
  const end = content.length - 4;
  if (first >>> 4 !== version || kind === 7 || end !== headBytes + length) return undefined;
  const from = kind <= frameKinds.welcome ? noLink : state;
  if ((~crc32(from, content.subarray(0, end)) >>> 0) !== numberAt(content, end)) return undefined;
  return { kind, side: first & clientBit ? 'client' : 'server', number, expected, window, payload: content.subarray(headBytes, end) };
}
