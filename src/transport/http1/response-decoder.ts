import { checkOptions } from '../../bounds/options.ts';
import type { BodyLength } from './body-decoder.ts';
import { HttpFault } from './fault.ts';
import { FieldSection } from './field-section.ts';
import { decoderShape, MessageDecoder } from './message-decoder.ts';
import type { DecoderOptions } from './message-decoder.ts';
import { announcedLength, persists } from './message-framing.ts';

/** A response, before its body. Below 200 it is an interim one, and another follows. */
export interface ResponseHead {
  readonly status: number;
  /** The second digit of its version: 0 or 1. */
  readonly minor: number;
  readonly fields: FieldSection;
  readonly body: BodyLength;
  /** Whether another request may be sent on this connection. */
  readonly persists: boolean;
}

/** Makes the decoder of a client's connection. `method` is asked for the method of the request that is answered. */
export function responseDecoder(method: () => string, options: DecoderOptions = {}): MessageDecoder<ResponseHead> {
  checkOptions('responseDecoder: options', options, decoderShape);
  return new MessageDecoder<ResponseHead>((text, scanner) => {
    // RFC 9112, 4. The reason phrase means nothing; without it some servers leave out the space before it as well.
    const line = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: .*)?$/.exec(text.slice(0, scanner.lineLength));
    if (line === null) return new HttpFault('the status line is malformed');
    const minor = Number(line[1]);
    const status = Number(line[2]);
    const fields = new FieldSection(text, scanner);
    const { refused } = fields;
    if (refused) return refused;
    // RFC 9110, 7.8: only where the client asked for another protocol, which none of ours does.
    if (status === 101) return new HttpFault('the server switches to a protocol that nobody asked for');
    const announced = announcedLength(fields, minor);
    if (announced instanceof HttpFault) return announced;
    const bare = status < 200 || status === 204;
    // 6.1 and RFC 9110, 8.6 forbid both lengths there. Somebody could wait for such a body, or take it for the next response.
    if (bare && (announced ?? 0) !== 0) return new HttpFault(`a response with status ${status} announces a body`);
    const without = bare || status === 304 || method() === 'HEAD';
    const body = without ? 0 : announced ?? 'close';
    return { status, minor, fields, body, persists: body !== 'close' && persists(fields, minor) };
    // 2.2 has no empty line before a status line: nginx takes what begins with one for a body without a head.
  }, false, options);
}
