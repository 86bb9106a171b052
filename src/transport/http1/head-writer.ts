// The writing half of the HTTP/1.1 codec: heads and chunks. RFC 9112, 2.1 and 7.1.

/** The reason phrases of our statuses. Recipients may ignore them: RFC 9112, 4. */
const reasons: Readonly<Record<number, string>> = {
  200: 'OK', 202: 'Accepted', 204: 'No Content', 400: 'Bad Request', 401: 'Unauthorized', 403: 'Forbidden', 404: 'Not Found',
  405: 'Method Not Allowed', 406: 'Not Acceptable', 408: 'Request Timeout', 409: 'Conflict', 413: 'Content Too Large', 414: 'URI Too Long',
  415: 'Unsupported Media Type', 417: 'Expectation Failed', 429: 'Too Many Requests', 431: 'Request Header Fields Too Large',
  500: 'Internal Server Error', 501: 'Not Implemented', 503: 'Service Unavailable', 505: 'HTTP Version Not Supported',
};

/** The status line of a response. A response to an HTTP/1.0 request has version 1.1 too: RFC 9110, 6.2. */
export const statusLine = (status: number): string => `HTTP/1.1 ${status} ${reasons[status] ?? ''}\r\n`;

/** The first line of a request. Throws a TypeError for a malformed method or target. */
export function requestLine(method: string, target: string): string {
  if (!/^[!#$%&'*+.^_`|~\dA-Za-z-]+$/.test(method) || !/^[!$-;=?-~]+$/.test(target)) throw new TypeError('a request line is malformed');
  return `${method} ${target} HTTP/1.1\r\n`;
}

/**
 * One field line. No value can add a field: throws a TypeError for a name that is not a token, and for a
 * value with a control character or a character above U+00FF. RFC 9110, 5.1 and 5.5.
 */
export function fieldLine(name: string, value: string | number): string {
  if (typeof value !== 'number' && !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) throw new TypeError(`the value of the field ${name.slice(0, 80)} is malformed`);
  if (!/^[!#$%&'*+.^_`|~\dA-Za-z-]+$/.test(name)) throw new TypeError('the name of a field is malformed');
  return `${name}: ${value}\r\n`;
}

/** A chunk with a text. `length`: its octets in UTF-8, at least one, since an empty chunk ends the body. */
export const chunk = (text: string, length: number): string => `${length.toString(16)}\r\n${text}\r\n`;

/** The end of a chunked body. */
export const lastChunk = '0\r\n\r\n';
