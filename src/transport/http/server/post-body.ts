import { decode, decodeUtf8, decodeValue } from '../../../jsonrpc/codec.ts';
import type { Decoded } from '../../../jsonrpc/message.ts';
import type { Body, HttpRequest } from './http-request.ts';
import { noMemory, refuse, refuseWork } from './refuse.ts';
import type { EndpointServices } from './services.ts';

/** What a POST's `Accept` allows as its answer. */
export interface Accepted {
  readonly json: boolean;
  readonly sse: boolean;
}

/** The header that was read last, and what it allows: a client says the same with each request. */
let lastHeader: string | undefined;
let lastAccepted: Accepted | undefined;

/**
 * Reads an `Accept` header; one that is missing accepts everything. Undefined: neither JSON nor a stream is
 * accepted. RFC 9110, 12.5.1, without its weights.
 */
export function readAccept(header: string | undefined): Accepted | undefined {
  if (header !== undefined && header === lastHeader) return lastAccepted;
  const text = header?.toLowerCase() ?? '*/*';
  const any = text.includes('*/*');
  const json = any || text.includes('application/json') || text.includes('application/*');
  const sse = any || text.includes('text/event-stream') || text.includes('text/*');
  lastHeader = header;
  return lastAccepted = json || sse ? { json, sse } : undefined;
}

/** Whether a `Content-Type` says JSON, with parameters or without. */
export function isJson(contentType: string | undefined): boolean {
  return contentType === 'application/json' || /^application\/json\s*(?:;|$)/i.test(contentType ?? '');
}

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
