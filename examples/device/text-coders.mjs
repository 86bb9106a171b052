// TextEncoder and TextDecoder for UTF-8, which small engines lack, in plain JavaScript. A device with faster functions in its
// firmware should pass those instead. Malformed bytes are rejected, not repaired.

/** Adds both classes to the engine if it has none. Call it before the first byte is read. */
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
