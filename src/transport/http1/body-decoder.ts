import { HttpFault } from './fault.ts';
import { HeadScanner } from './head-scanner.ts';
import type { DecoderLimits } from './limits.ts';
import { CR, hasBit, hexOctet, LF, octetTable, valueOctet } from './octets.ts';

/** How the end of a message body is found: by its length, by chunks, or by the end of the connection. RFC 9112, 6.3. */
export type BodyLength = number | 'chunked' | 'close';

/** The next part that a decoder has read. `more`: all octets are read, and no part is complete. */
export type DecoderEvent = 'head' | 'body' | 'end' | 'fault' | 'more';

const counted = 0;
const untilClose = 1;
const chunkSize = 2;
const chunkExtension = 3;
const chunkSizeLf = 4;
const chunkData = 5;
const chunkDataCr = 6;
const chunkDataLf = 7;
const trailers = 8;

/** Maximum digits of a hexadecimal chunk size. With more, a number would lose some, here or at another recipient. */
const maxSizeDigits = 12;

const crlfFault = (): HttpFault => new HttpFault('a chunk does not end with CR LF');

/** Reads message bodies, one after another. Takes linear time however the input is cut, and holds none of it. */
export class BodyDecoder {
  /** The position of the first unread octet. */
  at = 0;
  /** After `body`: octets of the content. */
  body: Uint8Array = none;
  refused: HttpFault | undefined;
  readonly #limits: DecoderLimits;
  readonly #octets: Uint8Array = octetTable();
  #trailers: HeadScanner | undefined;
  #state: number = counted;
  /** Remaining octets of the content, or of the chunk. */
  #left = 0;
  #digits = 0;
  #extensions = 0;

  constructor(limits: DecoderLimits) {
    this.#limits = limits;
  }

  begin(length: BodyLength): void {
    this.#state = length === 'chunked' ? chunkSize : length === 'close' ? untilClose : counted;
    this.#left = typeof length === 'number' ? length : 0;
    this.#digits = this.#extensions = 0;
  }

  /** Releases the octets that came last. */
  clear(): void {
    this.body = none;
  }

  /** The event for the end of the connection: it completes a body without a length, and cuts off any other. */
  ended(): 'end' | 'fault' {
    if (this.#state === untilClose) return 'end';
    this.refused = new HttpFault('the connection ended in the middle of a message');
    return 'fault';
  }

  /** Reads from `from` to the next event. */
  read(bytes: Uint8Array, from: number): Exclude<DecoderEvent, 'head'> {
    let at = from;
    while (at < bytes.length || (this.#state === counted && this.#left === 0)) {
      const state = this.#state;
      if (state === counted || state === chunkData) {
        if (state === counted && this.#left === 0) return this.#tell('end', at);
        const end = Math.min(bytes.length, at + this.#left);
        this.body = at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end);
        this.#left -= end - at;
        if (state === chunkData && this.#left === 0) this.#state = chunkDataCr;
        return this.#tell('body', end);
      }
      if (state === untilClose) {
        this.body = at === 0 ? bytes : bytes.subarray(at);
        return this.#tell('body', bytes.length);
      }
      if (state === trailers) {
        const scanner = this.#trailers as HeadScanner;
        at = scanner.scan(bytes, at);
        this.refused = scanner.refused;
        return this.#tell(this.refused ? 'fault' : scanner.done ? 'end' : 'more', at);
      }
      this.refused = this.#line(bytes[at] as number);
      if (this.refused) return this.#tell('fault', at);
      at++;
    }
    return this.#tell('more', at);
  }

  #tell<E extends DecoderEvent>(event: E, at: number): E {
    this.at = at;
    return event;
  }

  /** Takes an octet between the data of two chunks. RFC 9112, 7.1. */
  #line(octet: number): HttpFault | undefined {
    const octets = this.#octets;
    switch (this.#state) {
      case chunkSize:
        if (hasBit(octets, octet, hexOctet)) {
          if (++this.#digits > maxSizeDigits) return new HttpFault('a chunk size is too long');
          this.#left = this.#left * 16 + (octet < 0x40 ? octet - 0x30 : (octet & 7) + 9);
          return undefined;
        }
        // White space before an extension is allowed (7.1.1), but some recipients read it as part of the size: refuse it.
        if (this.#digits === 0 || (octet !== CR && octet !== 0x3b)) return new HttpFault('a chunk size is malformed');
        this.#state = octet === CR ? chunkSizeLf : chunkExtension;
        return undefined;
      case chunkExtension:
        // 7.1.1: a recipient must ignore unknown extensions, and limit their length.
        if (++this.#extensions > this.#limits.maxExtensionBytes) return new HttpFault('the chunk extensions are too long', 413);
        if (octet === CR) this.#state = chunkSizeLf;
        else if (!hasBit(octets, octet, valueOctet)) return new HttpFault('a chunk extension holds a control character');
        return undefined;
      case chunkSizeLf:
        if (octet !== LF) return crlfFault();
        this.#state = this.#left > 0 ? chunkData : trailers;
        // 7.1.2: trailer fields are dropped; only fields of the head are used.
        if (this.#left === 0) (this.#trailers ??= new HeadScanner(this.#limits)).begin(true);
        return undefined;
      case chunkDataCr:
        if (octet !== CR) return crlfFault();
        this.#state = chunkDataLf;
        return undefined;
      default:
        if (octet !== LF) return crlfFault();
        this.#state = chunkSize;
        this.#digits = 0;
        return undefined;
    }
  }
}

const none = new Uint8Array(0);
