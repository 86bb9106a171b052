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
