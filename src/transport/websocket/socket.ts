/** The members of WebSocket events that barewire reads. */
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
 * The part of a WebSocket that barewire uses: of browsers, Deno, workerd, or the package `ws`. Barewire does not implement
 * RFC 6455: the runtime or a package reads and writes the frames.
 */
export interface WebSocketLike {
  /** 0: connecting; 1: open; 2 and 3: closing and closed. */
  readonly readyState: number;
  /** Bytes passed to `send` that are not sent yet. Undefined if the runtime does not provide it (workerd). */
  readonly bufferedAmount?: number | undefined;
  /** Sends a text frame. */
  send(text: string): void;
  /** Begins the closing handshake. */
  close(code?: number, reason?: string): void;
  /** Called for `open`, `message`, `error` and `close`. */
  addEventListener(type: string, listener: (event: WebSocketEvent) => void): void;
  /** Removes a listener. */
  removeEventListener(type: string, listener: (event: WebSocketEvent) => void): void;
  /** Pauses reading from the network until `resume`, if the socket supports it (`ws`). */
  pause?(): void;
  /** Resumes reading. */
  resume?(): void;
}

/** A socket without events, such as Bun's `ServerWebSocket`: its owner gets callbacks. */
export interface CallbackSocket {
  readonly readyState: number;
  /** Sends a text frame. */
  send(text: string): unknown;
  /** Begins the closing handshake. */
  close(code?: number, reason?: string): void;
  /** The number of bytes that wait to be sent. */
  getBufferedAmount?(): number;
}

/** A `CallbackSocket` as a `WebSocketLike`, with functions that its owner calls for each event. */
export interface SocketWithEvents {
  readonly socket: WebSocketLike;
  /** Call this for each frame: a string for a text frame. */
  message(data: unknown): void;
  /** Call this when the socket has closed. */
  closed(code?: number, reason?: string): void;
}

/** Adapts a socket with callbacks to events: `Bun.serve` calls `websocket.message(ws, data)` and `websocket.close(ws, code, reason)`. */
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
