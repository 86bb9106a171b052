/** Headers whose values the protocol defines, or that say nothing about a person. */
const known = /^(?:accept|accept-encoding|accept-language|cache-control|connection|content-length|content-type|host|last-event-id|mcp-[a-z0-9-]+|transfer-encoding|user-agent)$/;

/** Headers for a report, without values that may be credentials. */
export function harmless(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, known.test(name) ? value : '[redacted]']));
}

const opening = '=?base64?';
const plain = /^[\t\x20-\x7e]*$/;
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Why a value needs Base64 in a mirrored header; undefined: it does not. 2026-07-28 basic/transports/streamable-http#value-encoding. */
export function needsEncoding(value: string): 'sentinel' | 'unsafe' | undefined {
  if (value.startsWith(opening) && value.endsWith('?=')) return 'sentinel';
  return plain.test(value) && value.trim() === value ? undefined : 'unsafe';
}

/** Decodes a mirrored header; undefined: its Base64 is invalid. */
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

/** Whether a value has the Base64 marks, in any case. */
export const isMarked = (value: string): boolean => /^=\?base64\?.*\?=$/i.test(value);
