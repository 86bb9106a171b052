// What a small engine lacks and bytes need: TextEncoder and TextDecoder for UTF-8, from what the language itself has. A device whose
// firmware can do it faster hands in its own functions instead. Malformed bytes are refused, not repaired.

/** Gives the engine both classes, where it has none. Call it before the first byte is read. */
export function addTextCoders() {
  globalThis.TextEncoder ??= class {
    encode(text) {
      return Uint8Array.from(unescape(encodeURIComponent(text)), (byte) => byte.charCodeAt(0));
    }
  };
  globalThis.TextDecoder ??= class {
    decode(bytes = new Uint8Array(0)) {
      let text = '';
      for (const byte of bytes) text += String.fromCharCode(byte);
      return decodeURIComponent(escape(text));
    }
  };
}
