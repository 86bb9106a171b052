import { isObject } from '../jsonrpc/codec.ts';
import type { LoggingLevel } from '../protocol/logging.ts';
import { isImplementation, isLoggingLevel } from '../protocol/meta.ts';
import type { Agreed } from '../transport/server-port.ts';

/** The GET stream of a session, and the process that writes it. */
export interface Listener {
  readonly process: string;
  readonly stream: string;
  /** Streams before it whose client has opened another one itself, the last one first: they do not go on. */
  readonly replaced?: readonly string[] | undefined;
}

/** What the store has of a session: all that a process needs to serve it. */
export interface StoredRecord {
  readonly agreed: Agreed;
  readonly principal: string | undefined;
  /** What `logging/setLevel` asked for. */
  readonly level: LoggingLevel | undefined;
  /** The URIs of the resources that the client watches. */
  readonly watched: readonly string[];
  /** When the handshake was: milliseconds since the epoch. */
  readonly opened: number;
  readonly listener: Listener | undefined;
}

/** The record as text. */
export function writeRecord(record: StoredRecord): string {
  return JSON.stringify(record);
}

/** The record that a text is. Throws where it is none: another program has written it. */
export function readRecord(text: string): StoredRecord {
  const value: unknown = JSON.parse(text);
  if (isObject(value)) {
    const { agreed, principal, level, watched, opened, listener } = value;
    if (isAgreed(agreed) && (principal === undefined || typeof principal === 'string')
      && (level === undefined || isLoggingLevel(level)) && isTexts(watched)
      && typeof opened === 'number' && (listener === undefined || isListener(listener))) {
      return { agreed, principal, level, watched, opened, listener };
    }
  }
  throw new Error('the store has a text in the place of a session that is none');
}

function isAgreed(value: unknown): value is Agreed {
  return isObject(value) && typeof value['version'] === 'string' && isImplementation(value['client'])
    && isObject(value['capabilities']);
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

function isListener(value: unknown): value is Listener {
  return isObject(value) && typeof value['process'] === 'string' && typeof value['stream'] === 'string'
    && (value['replaced'] === undefined || isTexts(value['replaced']));
}
