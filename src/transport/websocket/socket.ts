/** What is read of the events of a WebSocket. */
export interface WebSocketEvent {
  readonly type: string;
  /** Of `message`: a string for a text frame. */
  readonly data?: unknown;
  /** Of `close`. */
  readonly code?: number;
  /** Of `close`. */
  readonly reason?: string;
  /** Of `error`, in some runtimes. */
  readonly message?: string;
}

/**
 * What is used of a WebSocket: the browser's, Deno's, workerd's, or the one of the package `ws`. This project has no RFC 6455 of
 * its own: the runtime or a package reads and writes the frames.
 */
export interface WebSocketLike {
  /** 0: connecting; 1: open; 2 and 3: closing and closed. */
  readonly readyState: number;
  /** Bytes that were sent and that the network has not taken. Undefined where the runtime does not tell (workerd). */
  readonly bufferedAmount?: number | undefined;
  /** Sends a text frame. */
  send(text: string): void;
  /** Begins the closing handshake. */
  close(code?: number, reason?: string): void;
  /** Called for `open`, `message`, `error` and `close`. */
  addEventListener(type: string, listener: (event: WebSocketEvent) => void): void;
  /** Takes a listener away that `addEventListener` was given. */
  removeEventListener(type: string, listener: (event: WebSocketEvent) => void): void;
  /** Reads nothing from the network until `resume`, where the socket can (`ws`). */
  pause?(): void;
  /** Reads on. */
  resume?(): void;
}

/** What is used of a socket whose events are calls of its owner, such as Bun's `ServerWebSocket`. */
export interface CallbackSocket {
  readonly readyState: number;
  /** Sends a text frame. */
  send(text: string): unknown;
  /** Begins the closing handshake. */
  close(code?: number, reason?: string): void;
  /** Bytes that wait to be sent. */
  getBufferedAmount?(): number;
}

/** A `CallbackSocket` as a `WebSocketLike`, and what its owner calls for each event. */
export interface SocketWithEvents {
  readonly socket: WebSocketLike;
  /** A frame has come: a string for a text frame. */
  message(data: unknown): void;
  /** The socket is closed. */
  closed(code?: number, reason?: string): void;
}

/** Makes events of the callbacks of a socket: `Bun.serve` calls `websocket.message(ws, data)` and `websocket.close(ws, code, reason)`. */
export function socketWithEvents(raw: CallbackSocket): SocketWithEvents {
  const listeners: { readonly type: string; readonly listener: (event: WebSocketEvent) => void }[] = [];
  const emit = (event: WebSocketEvent): void => {
    for (const { type, listener } of [...listeners]) if (type === event.type) listener(event);
  };
  return {
    socket: {
      get readyState() {
        return raw.readyState;
      },
      get bufferedAmount() {
        return raw.getBufferedAmount?.();
      },
      send: (text) => void raw.send(text),
      close: (code, reason) => raw.close(code, reason),
      addEventListener: (type, listener) => void listeners.push({ type, listener }),
      removeEventListener(type, listener) {
        const at = listeners.findIndex((one) => one.type === type && one.listener === listener);
        if (at >= 0) listeners.splice(at, 1);
      },
    },
    message: (data) => emit({ type: 'message', data }),
    closed: (code = 1005, reason = '') => emit({ type: 'close', code, reason }),
  };
}
