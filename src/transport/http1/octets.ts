// The octets allowed in the parts of a head, as bits of one table: RFC 9110 section 5.

/** `tchar` of a token: a method, the name of a field. RFC 9110, 5.6.2. */
export const tokenOctet = 1;
/** An octet of a field value: visible characters, obs-text, space and tab. RFC 9110, 5.5: no other control character. */
export const valueOctet = 2;
/** `HEXDIG` of a chunk size. */
export const hexOctet = 4;

export const CR = 13;
export const LF = 10;
export const SPACE = 32;
export const TAB = 9;

let table: Uint8Array | undefined;

/** The bits of each octet. */
export function octetTable(): Uint8Array {
  if (table !== undefined) return table;
  table = new Uint8Array(256);
  for (let octet = 0; octet < 256; octet++) {
    const letter = String.fromCharCode(octet);
    table[octet] = (/^[!#$%&'*+.^_`|~0-9A-Za-z-]$/.test(letter) ? tokenOctet : 0)
      | (octet === TAB || (octet >= SPACE && octet !== 127) ? valueOctet : 0)
      | (/^[\dA-Fa-f]$/.test(letter) ? hexOctet : 0);
  }
  return table;
}

/** Whether an octet has a bit of the table. */
export const hasBit = (octets: Uint8Array, octet: number, bit: number): boolean => ((octets[octet] as number) & bit) !== 0;

/** Converts the octets from one position to another to a string, one character each. */
export type Latin1 = (bytes: Uint8Array, from: number, to: number) => string;

/** Octets that are arguments of one call. */
const block = 4096;

/** `Latin1` in plain JavaScript. */
export const latin1: Latin1 = (bytes, from, to) => {
  let text = '';
  for (let at = from; at < to; at += block) text += String.fromCharCode(...bytes.subarray(at, Math.min(to, at + block)));
  return text;
};
