/** Headers of a request whose values the protocol has defined, or that say nothing about a person. */
const known = /^(?:accept|accept-encoding|accept-language|cache-control|connection|content-length|content-type|host|last-event-id|mcp-[a-z0-9-]+|transfer-encoding|user-agent)$/;

/** Headers for a report: a value that might be a credential is left out. */
export function harmless(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, known.test(name) ? value : '[redacted]']));
}

const opening = '=?base64?';
const plain = /^[\t\x20-\x7e]*$/;
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** What a mirrored header has to be for a value. 2026-07-28 basic/transports/streamable-http#value-encoding. */
export function needsEncoding(value: string): 'sentinel' | 'unsafe' | undefined {
  if (value.startsWith(opening) && value.endsWith('?=')) return 'sentinel';
  return plain.test(value) && value.trim() === value ? undefined : 'unsafe';
}

/** The value that a mirrored header stands for; undefined: its Base64 cannot be read. */
export function decodeHeader(value: string): string | undefined {
  if (!value.startsWith(opening) || !value.endsWith('?=')) return value;
  const inner = value.slice(opening.length, -2);
  if (!base64.test(inner)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(inner), (one) => one.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether a value carries the marks of Base64, in any case. */
export const isMarked = (value: string): boolean => /^=\?base64\?.*\?=$/i.test(value);
