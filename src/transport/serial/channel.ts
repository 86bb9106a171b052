/** A wire that carries bytes both ways: a serial port, a radio that behaves like one, a socket. */
export interface SerialChannel {
  /** Writes these bytes, which the caller never changes later. If it returns a promise, the next write waits until it settles. */
  write(bytes: Uint8Array): Promise<void> | void;
  /** Called once, with callbacks: `data` for each chunk of received bytes, `closed` when no more bytes will arrive. */
  read(data: (bytes: Uint8Array) => void, closed: (why?: string) => void): void;
  /** Releases the wire. */
  close?(): Promise<void> | void;
}

/** The part of a duplex stream of Node, such as a socket, that `streamChannel` uses. */
export interface DuplexLike {
  /** Received bytes. */
  on(event: 'data', listener: (bytes: Uint8Array) => void): unknown;
  /** The stream failed. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** `drain`: the stream accepts more bytes; `close`: it has ended. */
  once(event: string, listener: () => void): unknown;
  /** False: wait for `drain` before the next write. */
  write(bytes: Uint8Array): boolean;
  /** Ends the stream at once. */
  destroy(): unknown;
}

/** Returns a channel over a stream of Node: a `net.Socket`, or the port of a serial library. */
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
