/**
 * Writes what `next` gives, one run of bytes after another, and waits where `write` returns a promise. Returns what is to be called
 * when `next` may have something.
 */
export function pump(write: (bytes: Uint8Array) => Promise<void> | void, next: () => Uint8Array | undefined): () => void {
  let writing = false;
  const go = (): void => {
    for (let bytes; !writing && (bytes = next());) {
      const written = write(bytes);
      if (!written) continue;
      writing = true;
      const goOn = (): void => {
        writing = false;
        go();
      };
      written.then(goOn, goOn);
    }
  };
  return go;
}
