import { need } from '../jsonrpc/internal-exports.ts';

/**
 * A JSON value in the form of RFC 8785 (JSON Canonicalization Scheme): members in the order of their UTF-16 code
 * units, no white space. Two values have the same text exactly if they are the same JSON.
 *
 * Source: RFC 8785 sections 3.2.2 and 3.2.3. Undefined members are left out, as `JSON.stringify` does. Half of a
 * surrogate pair, which the RFC refuses, is written as its escape (`\ud83d`), as `JSON.stringify` does, since peers
 * may send it. Throws a RangeError beyond `maxDepth` levels, and a TypeError for values that JSON does not have
 * (NaN).
 */
export function canonicalJson(value: unknown, maxDepth: number = 200): string {
  if (value === null || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`canonical JSON: ${value} is not a JSON number`);
    // ECMAScript writes numbers as the scheme requires, -0 as 0.
    return JSON.stringify(value);
  }
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object') throw new TypeError(`canonical JSON: a ${typeof value} is not a JSON value`);
  if (maxDepth <= 0) throw new RangeError('canonical JSON: the value is nested too deep');
  if (Array.isArray(value)) {
    return `[${value.map((item: unknown) => canonicalJson(item === undefined ? null : item, maxDepth - 1)).join(',')}]`;
  }
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    // Not localeCompare: the scheme sorts by code units.
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, member]) => `${canonicalJson(key)}:${canonicalJson(member, maxDepth - 1)}`);
  return `{${members.join(',')}}`;
}

/** SHA-256 of bytes, or of a text's UTF-8 bytes, in lower-case hexadecimal. */
export async function sha256(text: string | Uint8Array): Promise<string> {
  need('crypto', 'a digest');
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  // Copy bytes in shared memory, which WebCrypto refuses.
  const digest = await crypto.subtle.digest('SHA-256', bytes.buffer instanceof ArrayBuffer ? bytes as Uint8Array<ArrayBuffer> : new Uint8Array(bytes));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The digest of a file of a skill. Skills, Integrity and Verification: `sha256:` and 64 hexadecimal digits. */
export const fileDigest = async (bytes: Uint8Array): Promise<string> => `sha256:${await sha256(bytes)}`;

/** SHA-256 of a JSON value's canonical text. */
export const digestOf = (value: unknown): Promise<string> => sha256(canonicalJson(value));
