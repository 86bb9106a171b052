import { isBase64 } from './message.ts';

/** Encodes bytes as Base64; `base64url` is the alphabet for URLs, without padding (RFC 4648, section 5). */
export function toBase64(bytes: Uint8Array, form: 'base64' | 'base64url' = 'base64'): string {
  if (globalThis.Buffer) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(form);
  let binary = '';
  // In pieces: the number of arguments is limited, and one character at a time is slow.
  for (let at = 0; at < bytes.length; at += 8192) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  const text = btoa(binary);
  return form === 'base64' ? text : text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Decodes Base64; undefined if the text is not Base64. */
export function fromBase64(text: string): Uint8Array | undefined {
  return isBase64(text) ? Uint8Array.from(atob(text), (char) => char.charCodeAt(0)) : undefined;
}

/** Decodes Base64 in the alphabet for URLs; undefined if the text is not the canonical encoding of its bytes. */
export function fromBase64Url(text: string): Uint8Array | undefined {
  let bytes: Uint8Array;
  if (globalThis.Buffer) {
    bytes = Buffer.from(text, 'base64url');
  } else {
    try {
      bytes = Uint8Array.from(
        atob(text.replaceAll('-', '+').replaceAll('_', '/')),
        (char) => char.charCodeAt(0),
      );
    } catch {
      return undefined;
    }
  }
  // Refuses white space, padding, the other alphabet and unused bits that are not zero.
  return toBase64(bytes, 'base64url') === text ? bytes : undefined;
}
