import { CR, hasBit, LF, octetTable, SPACE, TAB, tokenOctet, valueOctet } from './octets.ts';
import type { DecoderLimits } from './limits.ts';
import { HttpFault } from './fault.ts';

const startLine = 0;
const startLineLf = 1;
const fieldStart = 2;
const fieldName = 3;
const beforeValue = 4;
const fieldValue = 5;
const fieldLf = 6;
const lastLf = 7;

/** RFC 9112, 5.1 allows a tab around a value. nginx makes it part of the value, even of a Content-Length. */
export const tabFault = (): HttpFault => new HttpFault('a field value begins or ends with a tab');

const lineFault = (): HttpFault => new HttpFault('a line does not end with CR LF');

/**
 * Finds the lines of a head or a trailer section, and checks each octet once, however the head is cut. It holds no
 * octets: `marks` has the positions of the fields.
 *
 * RFC 9112, 2.2: a recipient may read a bare LF as a line end, and must reject or replace a bare CR. Recipients
 * differ in this, so both are refused. So are white space before a colon (5.1), a tab after it, and a folded line (5.2).
 */
export class HeadScanner {
  /** Four numbers per field: start and end of its name, start of its value, end of its line. Counted from the head's first octet. */
  readonly marks: number[] = [];
  /** The length of the start line, in octets. */
  lineLength = 0;
  /** The octets read so far. */
  length = 0;
  done = false;
  refused: HttpFault | undefined;
  readonly #limits: DecoderLimits;
  readonly #octets: Uint8Array = octetTable();
  #state: number = startLine;

  constructor(limits: DecoderLimits) {
    this.#limits = limits;
  }

  /** Begins a head, or a trailer section, which has no start line. */
  begin(trailers: boolean = false): void {
    this.marks.length = 0;
    this.lineLength = this.length = 0;
    this.done = false;
    this.#state = trailers ? fieldStart : startLine;
  }

  /** Reads from `from`. Returns the end of the head, or the position of a fault, or `bytes.length` if the head is incomplete. */
  scan(bytes: Uint8Array, from: number): number {
    const { marks } = this;
    const octets = this.#octets;
    const offset = this.length - from;
    const end = Math.min(bytes.length, this.#limits.maxHeadBytes - offset);
    let state = this.#state;
    let at = from;
    while (at < end) {
      const octet = bytes[at] as number;
      if (state === fieldValue) {
        while (at < end && hasBit(octets, bytes[at] as number, valueOctet)) at++;
        if (at === end) break;
        marks.push(at + offset);
        if (bytes[at] !== CR) return this.#refuse(at, bytes[at] === LF ? lineFault() : new HttpFault('a field value holds a control character'));
        state = fieldLf;
      } else if (state === fieldName) {
        while (at < end && hasBit(octets, bytes[at] as number, tokenOctet)) at++;
        if (at === end) break;
        if (bytes[at] !== 0x3a) return this.#refuse(at, new HttpFault('a field name is malformed'));
        marks.push(at + offset);
        state = beforeValue;
      } else if (state === beforeValue) {
        if (octet === TAB) return this.#refuse(at, tabFault());
        if (octet !== SPACE) {
          marks.push(at + offset);
          state = fieldValue;
          continue;
        }
      } else if (state === fieldStart) {
        if (octet === CR) state = lastLf;
        else if (octet === SPACE || octet === TAB) return this.#refuse(at, new HttpFault('a field is folded'));
        else if (!hasBit(octets, octet, tokenOctet)) return this.#refuse(at, new HttpFault('a field name is malformed'));
        else if (marks.length === 4 * this.#limits.maxFields) return this.#refuse(at, new HttpFault('the head has too many fields', 431));
        else {
          marks.push(at + offset);
          state = fieldName;
        }
      } else if (state === startLine) {
        while (at < end && hasBit(octets, bytes[at] as number, valueOctet)) at++;
        if (at === end) break;
        if (bytes[at] !== CR) return this.#refuse(at, bytes[at] === LF ? lineFault() : new HttpFault('the first line holds a control character'));
        this.lineLength = at + offset;
        state = startLineLf;
      } else {
        if (octet !== LF) return this.#refuse(at, lineFault());
        if (state === lastLf) {
          this.done = true;
          this.length = at + offset + 1;
          return at + 1;
        }
        state = fieldStart;
      }
      at++;
    }
    this.#state = state;
    this.length = at + offset;
    if (at === bytes.length) return at;
    const tooLong = state === startLine ? new HttpFault('the first line is too long', 414) : new HttpFault('the head is too long', 431);
    return this.#refuse(at, tooLong);
  }

  #refuse(at: number, why: HttpFault): number {
    this.refused = why;
    return at;
  }
}
