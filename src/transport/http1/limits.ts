/** What bounds the decoding of one message. */
export interface DecoderLimits {
  /** Bytes of a start line and its fields, and of a trailer section; a longer head gets 431. 16 KiB. */
  maxHeadBytes: number;
  /** Fields of a head, and of a trailer section; a head with more gets 431. 100. */
  maxFields: number;
  /** Bytes of chunk extensions, over a whole body: they are read over, and mean nothing. 4 KiB. */
  maxExtensionBytes: number;
}

/** The defaults of `DecoderLimits`. */
export const defaultDecoderLimits: DecoderLimits = { maxHeadBytes: 16_384, maxFields: 100, maxExtensionBytes: 4096 };

/** What bounds the connections of a server. Times are counted in whole seconds, and end up to a second late. */
export interface Http1Limits extends DecoderLimits {
  /** Connections at once; one more is closed at once. 20,000. */
  maxConnections: number;
  /** Milliseconds for a head, from its first byte; of the first head from the connection's beginning. Then 408. 15 seconds. */
  headMs: number;
  /** Milliseconds for a body, from its head. Then 408. 5 minutes. */
  bodyMs: number;
  /** Milliseconds that a connection is kept between two requests: the client is told. 5 seconds. */
  keepAliveMs: number;
  /** Milliseconds that the client has to take the last response of a connection, and to close it. 2 seconds. */
  lingerMs: number;
  /** Bytes of further requests that are taken while one is answered; then the connection is not read. 64 KiB. */
  maxAheadBytes: number;
  /** Bytes of a body that nobody reads, so that the next request can be; with more the connection ends. 256 KiB. */
  maxUnwantedBytes: number;
}

/** The defaults of `Http1Limits`. */
export const defaultHttp1Limits: Http1Limits = {
  ...defaultDecoderLimits,
  maxConnections: 20_000, headMs: 15_000, bodyMs: 300_000, keepAliveMs: 5000, lingerMs: 2000, maxAheadBytes: 65_536, maxUnwantedBytes: 262_144,
};
