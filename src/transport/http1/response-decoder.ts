import { checkOptions } from '../../bounds/options.ts';
import type { BodyLength } from './body-decoder.ts';
import { HttpFault } from './fault.ts';
import { FieldSection } from './field-section.ts';
import { decoderShape, MessageDecoder } from './message-decoder.ts';
import type { DecoderOptions } from './message-decoder.ts';
import { announcedLength, persists } from './message-framing.ts';

/** A response, without its body. A status below 200 is interim: another response follows. */
export interface ResponseHead {
  readonly status: number;
  /** The minor version: 0 or 1. */
  readonly minor: number;
  readonly fields: FieldSection;
  readonly body: BodyLength;
  /** Whether this connection may carry another request. */
  readonly persists: boolean;
}

/** Makes the decoder for a client's connection. `method` returns the method of the request that is answered. */
export function responseDecoder(method: () => string, options: DecoderOptions = {}): MessageDecoder<ResponseHead> {
  checkOptions('responseDecoder: options', options, decoderShape);
  return new MessageDecoder<ResponseHead>((text, scanner) => {
    // RFC 9112, 4. The reason phrase has no meaning; some servers omit it, and the space before it as well.
    const line = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: .*)?$/.exec(text.slice(0, scanner.lineLength));
    if (line === null) return new HttpFault('the status line is malformed');
    const minor = Number(line[1]);
    const status = Number(line[2]);
    const fields = new FieldSection(text, scanner);
    const { refused } = fields;
    if (refused) return refused;
    // RFC 9110, 7.8: only if the client asked for another protocol, which ours never do.
    if (status === 101) return new HttpFault('the server switches to a protocol that was not requested');
    const announced = announcedLength(fields, minor);
    if (announced instanceof HttpFault) return announced;
    const bare = status < 200 || status === 204;
    // 6.1 and RFC 9110, 8.6 forbid both length fields here. A recipient could wait for the body, or take it for the next response.
    if (bare && (announced ?? 0) !== 0) return new HttpFault(`a response with status ${status} announces a body`);
    const without = bare || status === 304 || method() === 'HEAD';
    const body = without ? 0 : announced ?? 'close';
    return { status, minor, fields, body, persists: body !== 'close' && persists(fields, minor) };
    // 2.2 allows no empty line before a status line: nginx takes a response that begins with one for a body without a head.
  }, false, options);
}
