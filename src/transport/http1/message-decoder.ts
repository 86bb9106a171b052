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

/** The options of a decoder. */
export interface DecoderOptions {
  readonly limits?: Partial<DecoderLimits> | undefined;
  /** Charged with the octets of an incomplete head. Default: no budget. */
  readonly budget?: Budget | undefined;
  /** Converts octets to a string. Default: plain JavaScript; a runtime may have something faster. */
  readonly latin1?: Latin1 | undefined;
}

/** For `checkOptions`. */
export const decoderShape: Shape<DecoderOptions> = { limits: defaultDecoderLimits, budget: 'object', latin1: 'function' };

/** Octets of a head that is compared with the next one. */
const repeated = 2048;

/** Parses a head whose octets were checked: its text, with the positions of its lines in the scanner. */
export type HeadParser<Head> = (text: string, scanner: HeadScanner) => Head | HttpFault;

/**
 * The reading half of the HTTP/1.1 codec (RFC 9112): the caller passes octets, and `read` returns their events. It owns no
 * stream. The caller may stop at each event: so a connection waits until its request is answered.
 *
 * Takes linear time however the input is cut, and holds at most one incomplete head.
 */
export class MessageDecoder<Head extends { readonly body: BodyLength }> {
  /** The position of the first unread octet. */
  at = 0;
  /** The head of this message, from the event `head` on. */
  head: Head | undefined;
  /** The reason of `fault`. No more can be read after it. */
  refused: HttpFault | undefined;
  readonly #parse: HeadParser<Head>;
  readonly #latin1: Latin1;
  readonly #budget: Budget | undefined;
  readonly #scanner: HeadScanner;
  readonly #body: BodyDecoder;
  /** The octets of an incomplete head. */
  #held: ByteGatherer | undefined;
  /** Whether the messages are requests. */
  readonly #requests: boolean;
  /** The previous head, if short, and its text: a client mostly sends the same head again. */
  #last: Head | undefined;
  #lastText = '';
  /** Octets of the empty line before this head. */
  #emptyLine = 0;

  /** `requests`: an empty line before a head is skipped, and equal octets make an equal head, without parsing them again. */
  constructor(parse: HeadParser<Head>, requests: boolean, { limits, budget, latin1 = plainLatin1 }: DecoderOptions) {
    const all = { ...defaultDecoderLimits, ...limits };
    this.#parse = parse;
    this.#requests = requests;
    this.#latin1 = latin1;
    this.#budget = budget;
    this.#scanner = new HeadScanner(all);
    this.#body = new BodyDecoder(all);
  }

  /** The octets of the event `body`: a part of those passed to `read`. */
  get body(): Uint8Array {
    return this.#body.body;
  }

  /** Whether a message has begun and has not ended. */
  get begun(): boolean {
    return this.head !== undefined || this.#scanner.length > 0 || this.#emptyLine > 0;
  }

  /** Reads from `from` to the next event, and sets `at`. Call `next` after `end`. */
  read(bytes: Uint8Array, from: number): DecoderEvent {
    if (this.refused) return 'fault';
    if (this.head === undefined) return this.#readHead(bytes, from);
    const event = this.#body.read(bytes, from);
    this.at = this.#body.at;
    if (event === 'fault') this.refused = this.#body.refused;
    return event;
  }

  /** Begins the next message, after `end`. */
  next(): void {
    this.head = undefined;
    this.#emptyLine = 0;
    this.#scanner.begin();
    this.#body.clear();
  }

  /** The event for the end of the connection. `more`: no message had begun. */
  ended(): DecoderEvent {
    if (this.refused) return 'fault';
    if (!this.begun) return 'more';
    const event = this.#body.ended();
    if (this.head !== undefined && event === 'end') return 'end';
    this.refused = new HttpFault('the connection ended in the middle of a message');
    return 'fault';
  }

  /** Drops the octets of an incomplete head. */
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
        return this.#refuse(new HttpFault('the memory limit of the process is reached', 503), end);
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
