import { checkOptions } from '../../bounds/options.ts';
import type { BodyLength } from './body-decoder.ts';
import { HttpFault } from './fault.ts';
import { FieldSection } from './field-section.ts';
import { decoderShape, MessageDecoder } from './message-decoder.ts';
import type { DecoderOptions } from './message-decoder.ts';
import { announcedLength, persists } from './message-framing.ts';

/** A request, without its body. */
export interface RequestHead {
  readonly method: string;
  /** The path as sent, without the query; for an absolute target, its path. */
  readonly path: string;
  /** The query as sent, without its question mark; '' without a query. */
  readonly query: string;
  /** The minor version: 0 or 1. */
  readonly minor: number;
  readonly fields: FieldSection;
  readonly body: BodyLength;
  /** Whether the client may send another request on this connection. */
  readonly persists: boolean;
  /** Whether the client waits for `100 Continue` before it sends the body. */
  readonly expects: boolean;
}

/** Makes the decoder for a server's connection. */
export function requestDecoder(options: DecoderOptions = {}): MessageDecoder<RequestHead> {
  checkOptions('requestDecoder: options', options, decoderShape);
  // Nearly all requests of a connection have the same first line.
  let lastLine = '';
  let lastTarget: RequestLine | undefined;
  return new MessageDecoder<RequestHead>((text, scanner) => {
    const line = text.slice(0, scanner.lineLength);
    const target = line === lastLine && lastTarget ? lastTarget : requestLine(line);
    if (target instanceof HttpFault) return target;
    lastLine = line;
    lastTarget = target;
    const fields = new FieldSection(text, scanner);
    const { minor } = target;
    const { refused } = fields;
    if (refused) return refused;
    const host = fields.get('host');
    // 3.2: a request with a missing or malformed Host must get 400.
    if (host === undefined ? minor === 1 : !hostForm.test(host)) return new HttpFault('Host is missing or malformed');
    // By 3.2.2 the target overrides Host. A proxy may have routed by the other one, so they must agree.
    if (target.authority !== undefined && target.authority.toLowerCase() !== host?.toLowerCase()) {
      return new HttpFault('the target and Host name different authorities');
    }
    const body = announcedLength(fields, minor) ?? 0;
    if (body instanceof HttpFault) return body;
    const expect = minor === 0 ? undefined : fields.get('expect');
    // RFC 9110, 10.1.1.
    if (expect !== undefined && expect.toLowerCase() !== '100-continue') return new HttpFault('Expect must be 100-continue', 417);
    const { method, path, query } = target;
    return { method, path, query, minor, fields, body, persists: persists(fields, minor), expects: expect !== undefined && body !== 0 };
    // 2.2: a server should ignore an empty line before a request line, which some clients send after a body.
  }, true, options);
}

/** The parts of a request line. */
interface RequestLine {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly minor: number;
  /** Only for an absolute target. */
  readonly authority: string | undefined;
}

/** `uri-host [ ":" port ]`. RFC 9110, 7.2. */
const hostForm = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d{0,5})?$/i;

/** RFC 9112, 3. One space on each side of the target: some recipients read further or other white space as part of it. */
function requestLine(line: string): RequestLine | HttpFault {
  const first = line.indexOf(' ');
  const last = line.lastIndexOf(' ');
  const method = line.slice(0, Math.max(first, 0));
  const target = line.slice(first + 1, last);
  if (!/^[!#$%&'*+.^_`|~\dA-Za-z-]+$/.test(method)) return new HttpFault('the method is malformed');
  const version = /^HTTP\/(\d)\.(\d)$/.exec(line.slice(last + 1));
  if (version === null || last === first) return new HttpFault('the first line is malformed');
  // RFC 9110, 15.6.6. HTTP/1 has no later minor versions.
  if (version[1] !== '1' || (version[2] !== '0' && version[2] !== '1')) return new HttpFault('only HTTP/1.1 and HTTP/1.0 are supported', 505);
  // Visible ASCII without the characters that a URI cannot have, and that some recipients take for its end.
  if (!/^[!$-;=?-~]+$/.test(target)) return new HttpFault('the target is malformed');
  const minor = Number(version[2]);
  // RFC 9110, 9.3.6: a tunnel.
  if (method === 'CONNECT') return new HttpFault('CONNECT is not served', 501);
  if (target === '*') {
    return method === 'OPTIONS' ? { method, path: '*', query: '', minor, authority: undefined } : new HttpFault('the target is malformed');
  }
  const [scheme, authority] = /^https?:\/\/([^/?]+)/i.exec(target) ?? [];
  const origin = target.slice(scheme?.length ?? 0);
  const mark = origin.indexOf('?');
  const path = (mark < 0 ? origin : origin.slice(0, mark)) || (authority === undefined ? '' : '/');
  if (!path.startsWith('/')) return new HttpFault('the target is malformed');
  return { method, path, query: mark < 0 ? '' : origin.slice(mark + 1), minor, authority };
}
