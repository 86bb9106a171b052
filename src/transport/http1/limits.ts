/** The limits for decoding one message. */
export interface DecoderLimits {
  /** Bytes of a start line and its fields, and of a trailer section; a longer head gets 431, a longer start line 414. 16 KiB. */
  maxHeadBytes: number;
  /** Fields of a head, and of a trailer section; a head with more gets 431. 100. */
  maxFields: number;
  /** Bytes of all chunk extensions of a body, which are ignored. 4 KiB. */
  maxExtensionBytes: number;
}

/** The defaults of `DecoderLimits`. */
export const defaultDecoderLimits: DecoderLimits = { maxHeadBytes: 16_384, maxFields: 100, maxExtensionBytes: 4096 };

/** The limits of a server's connections. Times are counted in whole seconds, and end up to a second late. */
export interface Http1Limits extends DecoderLimits {
  /** Connections at once; a further one is closed at once. 20,000. */
  maxConnections: number;
  /** Milliseconds for a head, from its first byte; for the first, from the connection's start. Then 408, if a byte came. 15 seconds. */
  headMs: number;
  /** Milliseconds for a body, from the end of its head. Then 408. 5 minutes. */
  bodyMs: number;
  /** Milliseconds that a connection is kept between two requests, as told to the client. 5 seconds. */
  keepAliveMs: number;
  /** Milliseconds for the client to read the last response of a connection and close it; `headMs` more while it reads. 2 seconds. */
  lingerMs: number;
  /** Bytes of further requests that are taken while one is answered; with more, the connection is paused. 64 KiB. */
  maxAheadBytes: number;
  /** Bytes of an unread body that are dropped to reach the next request; with more, the connection ends. 256 KiB. */
  maxUnwantedBytes: number;
}

/** The defaults of `Http1Limits`. */
export const defaultHttp1Limits: Http1Limits = {
  ...defaultDecoderLimits,
  maxConnections: 20_000, headMs: 15_000, bodyMs: 300_000, keepAliveMs: 5000, lingerMs: 2000, maxAheadBytes: 65_536, maxUnwantedBytes: 262_144,
};
