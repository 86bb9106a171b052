import type { BodyLength } from './body-decoder.ts';
import { HttpFault } from './fault.ts';
import type { FieldSection } from './field-section.ts';

/**
 * How long the body is that these fields announce; undefined: they announce none. RFC 9112, 6.3.
 *
 * 6.1 lets a recipient choose what to do where both lengths stand in one head, or a transfer coding in a message of
 * HTTP/1.0. Each of these is read differently by somebody, so they are refused.
 */
export function announcedLength(fields: FieldSection, minor: number): BodyLength | HttpFault | undefined {
  const length = fields.get('content-length');
  const coding = fields.get('transfer-encoding');
  if (coding !== undefined) {
    if (length !== undefined) return new HttpFault('Content-Length and Transfer-Encoding exclude each other');
    if (minor === 0) return new HttpFault('HTTP/1.0 has no Transfer-Encoding');
    if (coding.toLowerCase() === 'chunked') return 'chunked';
    // 6.1: a coding that is not known is 501. One that does not end with `chunked` leaves the length open.
    return /^[a-z][a-z-]*, ?chunked$/i.test(coding) && !/^chunked/i.test(coding)
      ? new HttpFault('this transfer coding is not known', 501) : new HttpFault('Transfer-Encoding is malformed');
  }
  if (length === undefined) return undefined;
  // RFC 9110, 8.6: digits, and nothing else. With more of them a number would lose some.
  return /^\d{1,15}$/.test(length) ? Number(length) : new HttpFault('Content-Length is malformed');
}

/** Whether the connection can bring another message. RFC 9112, 9.3. */
export const persists = (fields: FieldSection, minor: number): boolean =>
  (minor === 1 ? !fields.lists('connection', 'close') : fields.lists('connection', 'keep-alive') && !fields.lists('connection', 'close'));
