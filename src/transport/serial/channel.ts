/** A wire that carries bytes both ways: a serial port, a radio that behaves like one, a socket. */
export interface SerialChannel {
  /** Writes these bytes, which are not changed afterwards. Where it returns a promise, no more are written until it resolves. */
  write(bytes: Uint8Array): Promise<void> | void;
  /** Called once: from then on `data` gets each run of bytes that comes, and `closed` is called when no more will come. */
  read(data: (bytes: Uint8Array) => void, closed: (why?: string) => void): void;
  /** Lets go of the wire. */
  close?(): Promise<void> | void;
}

/** What is used of a stream of Node that reads and writes, such as a socket. */
export interface DuplexLike {
  /** Bytes that came. */
  on(event: 'data', listener: (bytes: Uint8Array) => void): unknown;
  /** Why the stream ends. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** `drain`: it takes more bytes; `close`: it has ended. */
  once(event: string, listener: () => void): unknown;
  /** False: it takes no more until `drain`. */
  write(bytes: Uint8Array): boolean;
  /** Ends the stream at once. */
  destroy(): unknown;
}

/** The channel over a stream of Node: a `net.Socket`, or the port of a serial library. */
export function streamChannel(stream: DuplexLike): SerialChannel {
  return {
    write: (bytes) => (stream.write(bytes) ? undefined : new Promise((resolve) => {
      stream.once('drain', resolve);
      stream.once('close', resolve);
    })),
    read(data, closed) {
      stream.on('data', (bytes: Uint8Array) => data(bytes));
      stream.on('error', (error: Error) => closed(error.message));
      stream.once('close', () => closed());
    },
    close: () => void stream.destroy(),
  };
}
