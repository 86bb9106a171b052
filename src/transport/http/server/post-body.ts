import { decode, decodeUtf8, decodeValue } from '../../../jsonrpc/codec.ts';
import type { Decoded } from '../../../jsonrpc/message.ts';
import { isJson } from './accept.ts';
import type { Body, HttpRequest } from './http-request.ts';
import { noMemory, refuse, refuseWork } from './refuse.ts';
import type { EndpointServices } from './services.ts';

/** A body that has come to its end. */
export type WholeBody = Exclude<Body, { fault: string }>;

/** Whether the body is said to be JSON; otherwise the request is refused. */
export function takesJson(services: EndpointServices, request: HttpRequest): boolean {
  if (isJson(request.header('content-type'))) return true;
  refuse(services, request, 415, 'Unsupported media type: Content-Type must be application/json');
  return false;
}

/** Reads a body to its end. Where it cannot be read, or is too long, the request is refused. */
export function readWhole(services: EndpointServices, request: HttpRequest, done: (body: WholeBody) => void): void {
  const { maxBodyBytes } = services.limits;
  let over: (() => void) | undefined;
  // An endpoint that is open waits for nothing.
  if (services.phase !== 'open') {
    services.track(new Promise<void>((resolve) => {
      over = resolve;
      request.onGone(resolve);
    }));
  }
  const reading = request.read(maxBodyBytes, (body) => {
    over?.();
    // The endpoint may have closed while the body came.
    if (services.phase === 'closed') return refuseWork(services, request);
    if (typeof body !== 'object' || !('fault' in body)) return done(body);
    if (body.fault === 'unreadable') return refuse(services, request, 400, 'The body could not be read');
    const fields = { connection: 'close' };
    // RFC 9110, 15.6.4: nothing is wrong with the request, and later there may be room.
    if (body.fault === 'no room') return refuse(services, request, 503, noMemory, { fields });
    refuse(services, request, 413, `Content too large: the limit is ${maxBodyBytes} bytes`, { fields });
  });
  if (reading) services.track(reading);
}

/** Whether a body begins as a batch does; it need not be JSON. */
export function isBatch(body: WholeBody): boolean {
  if (typeof body === 'string') return /^[ \t\r\n]*\[/.test(body);
  if (!(body instanceof Uint8Array)) return Array.isArray(body.value);
  let at = 0;
  // Space, tab, CR, LF: the white space of JSON.
  while (body[at] === 0x20 || body[at] === 0x09 || body[at] === 0x0d || body[at] === 0x0a) at++;
  return body[at] === 0x5b;
}

/** What a body says. */
export function decodeBody(body: WholeBody): Decoded {
  if (typeof body === 'string' || body instanceof Uint8Array) return decode(body);
  return decodeValue(body.value);
}

/** A body as somebody who traces sees it. */
export function textOf(body: WholeBody): string {
  if (typeof body === 'string') return body;
  if (!(body instanceof Uint8Array)) return JSON.stringify(body.value);
  try {
    return decodeUtf8(body);
  } catch {
    return '(not UTF-8)';
  }
}
