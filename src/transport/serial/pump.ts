/**
 * Writes the chunks of `next` one after another, and waits for each promise that `write` returns. Returns a function: call it
 * when `next` may have a new chunk.
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
