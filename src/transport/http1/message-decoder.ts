import type { Budget } from '../../bounds/budget.ts';
import { ByteGatherer } from '../../bounds/budget.ts';
import type { Shape } from '../../bounds/options.ts';
import { BodyDecoder } from './body-decoder.ts';
import type { BodyLength, DecoderEvent } from './body-decoder.ts';
import { HttpFault } from './fault.ts';
import { HeadScanner } from './head-scanner.ts';
import { defaultDecoderLimits } from './limits.ts';
import type { DecoderLimits } from './limits.ts';
import { CR, LF, latin1 as plainLatin1 } from './octets.ts';
import type { Latin1 } from './octets.ts';

/** What a decoder is made with. */
export interface DecoderOptions {
  readonly limits?: Partial<DecoderLimits> | undefined;
  /** Charged with the octets of a head that has not come to its end. Default: nothing is charged. */
  readonly budget?: Budget | undefined;
  /** Makes a string of octets. Default: with the language only; a runtime may have something faster. */
  readonly latin1?: Latin1 | undefined;
}

/** For `checkOptions`. */
export const decoderShape: Shape<DecoderOptions> = { limits: defaultDecoderLimits, budget: 'object', latin1: 'function' };

/** Octets of a head that is compared with the next one. */
const repeated = 2048;

/** Reads a head whose octets are judged: its text, with its first line and its fields where the scanner found them. */
export type HeadParser<Head> = (text: string, scanner: HeadScanner) => Head | HttpFault;

/**
 * The reading half of the HTTP/1.1 codec (RFC 9112): octets are handed in, and `read` says what they hold. It owns no
 * stream. The caller may stop at each event, which is how a connection waits until its request is answered.
 *
 * Linear in its input however it is cut. It holds at most one head that is not complete.
 */
export class MessageDecoder<Head extends { readonly body: BodyLength }> {
  /** Where the first octet is that was not read. */
  at = 0;
  /** The head of this message, from `head` on. */
  head: Head | undefined;
  /** After `fault`. Nothing more can be read. */
  refused: HttpFault | undefined;
  readonly #parse: HeadParser<Head>;
  readonly #latin1: Latin1;
  readonly #budget: Budget | undefined;
  readonly #scanner: HeadScanner;
  readonly #body: BodyDecoder;
  /** The octets of a head of which more is to come. */
  #held: ByteGatherer | undefined;
  /** Whether heads are those of requests. */
  readonly #requests: boolean;
  /** The head before, and its octets: a client mostly sends the same again. Not where it is long. */
  #last: Head | undefined;
  #lastText = '';
  /** Octets of the empty line before this head. */
  #emptyLine = 0;

  /** `requests`: an empty line before a head is read over, and the same octets are the same head, whatever was before. */
  constructor(parse: HeadParser<Head>, requests: boolean, { limits, budget, latin1 = plainLatin1 }: DecoderOptions) {
    const all = { ...defaultDecoderLimits, ...limits };
    this.#parse = parse;
    this.#requests = requests;
    this.#latin1 = latin1;
    this.#budget = budget;
    this.#scanner = new HeadScanner(all);
    this.#body = new BodyDecoder(all);
  }

  /** The octets that came with `body`: a part of what was handed in. */
  get body(): Uint8Array {
    return this.#body.body;
  }

  /** Whether a message has begun that has not come to its end. */
  get begun(): boolean {
    return this.head !== undefined || this.#scanner.length > 0 || this.#emptyLine > 0;
  }

  /** Reads on at `from`, to the next event; `at` says how far. Call `next` after `end`. */
  read(bytes: Uint8Array, from: number): DecoderEvent {
    if (this.refused) return 'fault';
    if (this.head === undefined) return this.#readHead(bytes, from);
    const event = this.#body.read(bytes, from);
    this.at = this.#body.at;
    if (event === 'fault') this.refused = this.#body.refused;
    return event;
  }

  /** The message has ended: the next octets are of another. */
  next(): void {
    this.head = undefined;
    this.#emptyLine = 0;
    this.#scanner.begin();
    this.#body.clear();
  }

  /** What the end of the connection means. `more`: nothing had begun. */
  ended(): DecoderEvent {
    if (this.refused) return 'fault';
    if (!this.begun) return 'more';
    const event = this.#body.ended();
    if (this.head !== undefined && event === 'end') return 'end';
    this.refused = new HttpFault('the connection ended in the middle of a message');
    return 'fault';
  }

  /** Drops what is held. */
  clear(): void {
    this.#held?.clear();
  }

  #readHead(bytes: Uint8Array, from: number): DecoderEvent {
    const scanner = this.#scanner;
    let at = from;
    while (this.#requests && scanner.length === 0 && at < bytes.length && (this.#emptyLine === 1 || (this.#emptyLine === 0 && bytes[at] === CR))) {
      if (this.#emptyLine === 1 && bytes[at] !== LF) return this.#refuse(new HttpFault('a line does not end with CR LF'), at);
      this.#emptyLine++;
      at++;
    }
    const last = this.#last;
    if (last !== undefined && scanner.length === 0 && this.#latin1(bytes, at, at + this.#lastText.length) === this.#lastText) {
      return this.#begin(last, at + this.#lastText.length);
    }
    const end = this.at = scanner.scan(bytes, at);
    if (scanner.refused) return this.#refuse(scanner.refused, end);
    let text: string;
    if (scanner.done && (this.#held?.length ?? 0) === 0) text = this.#latin1(bytes, at, end);
    else {
      if (end > at && !(this.#held ??= new ByteGatherer(this.#budget)).push(bytes.subarray(at, end))) {
        return this.#refuse(new HttpFault('the process holds too much already', 503), end);
      }
      if (!scanner.done) return 'more';
      const whole = (this.#held as ByteGatherer).take();
      text = this.#latin1(whole, 0, whole.length);
    }
    const head = this.#parse(text, scanner);
    if (head instanceof HttpFault) return this.#refuse(head, end);
    if (this.#requests && text.length <= repeated) {
      this.#last = head;
      this.#lastText = text;
    }
    return this.#begin(head, end);
  }

  #begin(head: Head, at: number): 'head' {
    this.at = at;
    this.head = head;
    this.#body.begin(head.body);
    return 'head';
  }

  #refuse(why: HttpFault, at: number): 'fault' {
    this.clear();
    this.at = at;
    this.refused = why;
    return 'fault';
  }
}
