import type { BodyLength } from './body-decoder.ts';
import { HttpFault } from './fault.ts';
import type { FieldSection } from './field-section.ts';

/**
 * The length of the body that these fields announce; undefined: they announce none. RFC 9112, 6.3.
 *
 * 6.1 leaves it open how to treat a head with both length fields, or a transfer coding in HTTP/1.0. Recipients differ in
 * this, so both are refused.
 */
export function announcedLength(fields: FieldSection, minor: number): BodyLength | HttpFault | undefined {
  const length = fields.get('content-length');
  const coding = fields.get('transfer-encoding');
  if (coding !== undefined) {
    if (length !== undefined) return new HttpFault('Content-Length and Transfer-Encoding exclude each other');
    if (minor === 0) return new HttpFault('HTTP/1.0 has no Transfer-Encoding');
    if (coding.toLowerCase() === 'chunked') return 'chunked';
    // 6.1: an unknown coding gets 501. A coding that does not end with `chunked` leaves the length open.
    return /^[a-z][a-z-]*, ?chunked$/i.test(coding) && !/^chunked/i.test(coding)
      ? new HttpFault('this transfer coding is not known', 501) : new HttpFault('Transfer-Encoding is malformed');
  }
  if (length === undefined) return undefined;
  // RFC 9110, 8.6: only digits. With more of them, a number would lose some.
  return /^\d{1,15}$/.test(length) ? Number(length) : new HttpFault('Content-Length is malformed');
}

/** Whether the connection may carry another message. RFC 9112, 9.3. */
export const persists = (fields: FieldSection, minor: number): boolean =>
  (minor === 1 ? !fields.lists('connection', 'close') : fields.lists('connection', 'keep-alive') && !fields.lists('connection', 'close'));
