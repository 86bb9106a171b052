import { mediaType } from '../transport/internal-exports.ts';

/** An HTTP response, as far as it was read. */
export interface HttpHead {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if it was not read. */
  readonly body: string | undefined;
}

/** A demand of Streamable HTTP on one response. The judge, the doctor and the course use these words. */
export interface HttpDemand {
  readonly expected: string;
  readonly kept: (head: HttpHead) => boolean;
}

/** An origin, a revision and a session id that no server knows. */
export const foreignOrigin = 'https://barewire.invalid';
export const unknownVersion = '1999-01-01';
export const unknownSession = '00000000-0000-4000-8000-000000000000';

/** The media type of a response. */
export const typeOf = ({ headers }: Pick<HttpHead, 'headers'>): string => mediaType(headers['content-type']);

/** A response as evidence: status, content type and body. Other headers may hold credentials. */
export const shownHead = ({ status, headers: { 'content-type': type }, body }: HttpHead): string =>
  `HTTP ${status}${type === undefined ? '' : ` ${type}`}${body === undefined ? '' : body === '' ? ', no body' : ` ${body.slice(0, 2000)}`}`;

/** 2025-11-25 basic/transports#sending-messages-to-the-server: the response to a request, by its head. */
export const typeDemand: HttpDemand = {
  expected: 'Content-Type application/json or text/event-stream',
  kept: (head) => ['application/json', 'text/event-stream'].includes(typeOf(head)),
};

/** The demand on the body of that response. */
export const messageExpected = 'a JSON-RPC message in the body';

/** 2025-11-25 basic/transports#sending-messages-to-the-server: the response to a notification. */
export const acceptedDemand: HttpDemand = {
  expected: 'HTTP 202 without a body',
  kept: (head) => head.status === 202 && !head.body && typeOf(head) !== 'text/event-stream',
};

/** 2025-11-25 basic/transports#listening-for-messages-from-the-server: the response to GET. */
export const listeningDemand: HttpDemand = {
  expected: 'HTTP 200 with Content-Type text/event-stream, or HTTP 405',
  kept: (head) => head.status === 405 || head.status === 200 && typeOf(head) === 'text/event-stream',
};

const withStatus = (wanted: number, why: string): HttpDemand => ({ expected: `HTTP ${wanted}: ${why}`, kept: ({ status }) => status === wanted });

/** 2025-06-18 basic/transports#protocol-version-header: the response to a request with `unknownVersion`. */
export const versionDemand: HttpDemand = withStatus(400, 'the version is not supported');

/** 2025-11-25 basic/transports#session-management: the response to a request with a session that does not exist. */
export const sessionDemand: HttpDemand = withStatus(404, 'the session does not exist');

/** 2025-11-25 basic/transports#security-warning: the response to a request with `foreignOrigin`. */
export const originDemand: HttpDemand = withStatus(403, 'the origin is foreign');
