/** Bytes as Base64. */
export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  // In pieces: an argument list has a limit, and one character at a time is slow.
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

/** Base64 as bytes. Throws where it is none. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
