// Responses that two clients could read differently, and similar ones. One octet per character; see requests.ts.

/** The bytes of a server, and a strict client's result. */
export interface ResponseCase {
  readonly name: string;
  readonly bytes: string;
  /** The method of the request. */
  readonly method: string;
  /** A text is the content; `…` at its end: only the end of the connection ends it. 'refused'. 'unfinished'. */
  readonly want: string;
}

/** The response to the next request. */
export const nextResponse = 'HTTP/1.1 204 No Content\r\nX-Canary: yes\r\n\r\n';

const cases: ResponseCase[] = [];
const family = (name: string, make: (variant: string) => string, variants: readonly (readonly [variant: string, want: string])[], method = 'POST'): void => {
  for (const [variant, want] of variants) cases.push({ name: `${name}: ${JSON.stringify(variant)}${method === 'POST' ? '' : ` to ${method}`}`, bytes: make(variant), method, want });
};
const no = 'refused';

family('status line', (line) => `${line}\r\nContent-Length: 2\r\n\r\nok`, [
  ['HTTP/1.1 200 OK', 'ok'], ['HTTP/1.1 200 ', 'ok'], ['HTTP/1.1 200', 'ok'], ['HTTP/1.1 200 All is well', 'ok'], ['HTTP/1.1 200 \u00e9', 'ok'], ['HTTP/1.1 200 a\tb', 'ok'], ['HTTP/1.1 200  OK', 'ok'], ['HTTP/1.1 404 200', 'ok'], ['HTTP/1.1 599 x', 'ok'], ['HTTP/1.1 299 x', 'ok'],
  ['HTTP/1.0 200 OK\r\nConnection: keep-alive', 'ok'],
  ['', no], ['HTTP/1.1', no], ['HTTP/1.1 ', no], ['HTTP/1.1 20', no], ['HTTP/1.1 2000', no], ['HTTP/1.1 2x0 OK', no], ['HTTP/1.1 +20 OK', no], ['HTTP/1.1 -20 OK', no], ['HTTP/1.1  200 OK', no], ['HTTP/1.1\t200 OK', no], ['HTTP/1.1 200\tOK', no],
  ['HTTP/1.1200 OK', no], ['HTTP/1.1 200OK', no], [' HTTP/1.1 200 OK', no], ['http/1.1 200 OK', no], ['HTTP/1 200 OK', no], ['HTTP/11 200 OK', no], ['HTTP/1.10 200 OK', no], ['HTTP/1.2 200 OK', no], ['HTTP/2 200', no], ['HTTP/2.0 200 OK', no], ['HTTP/0.9 200 OK', no],
  ['ICY 200 OK', no], ['SSH-2.0-x', no], ['220 ready', no], ['HTTP/1.1 000 x', no], ['HTTP/1.1 099 x', no], ['HTTP/1.1 600 x', no], ['HTTP/1.1 999 x', no], ['HTTP/1.1 200 a\0b', no], ['HTTP/1.1 200 a\rb', no], ['HTTP/1.1 200 a\nb', no], ['HTTP/1.1 200 a\u007fb', no],
  ['HTTP/1.1\x00200 OK', no], ['HTTP/1.1 200 OK\nA: b', no], ['HTTP/1.1 \u00b2\u00b2\u00b2 OK', no], ['HTTP/1.1 0200 OK', no], ['HTTP/1.1 200.0 OK', no], ['\r\nHTTP/1.1 200 OK', no], ['\r\n\r\nHTTP/1.1 200 OK', no], ['\nHTTP/1.1 200 OK', no], ['<html>', no],
]);

const ok = (fields: string, body: string): string => `HTTP/1.1 200 OK\r\n${fields}\r\n${body}`;
family('Content-Length', (value) => ok(`Content-Length:${value}\r\n`, 'hello'), [
  [' 5', 'hello'], ['5', 'hello'], ['\t5 ', no], [' 5\t', no], [' 5 \t ', no], ['  5  ', 'hello'], [' 005', 'hello'],
  ['', no], [' +5', no], [' -5', no], [' 5,5', no], [' 5, 5', no], [' 5 5', no], [' 5,6', no], [' 0x5', no], [' 5.0', no], [' 5e0', no], [' 5_0', no], [' "5"', no], [' 5;', no], [' five', no], [' 5\0', no], [' \u000b5', no], [' 5\u00a0', no],
  [' 18446744073709551621', no], [' 9999999999999999', no], [' 00000000000000000005', no], [' 5\r\n 6', no], [' 5\r', no], [' 5\n', no], [' 6', 'unfinished'],
]);
family('Content-Length, name', (field) => ok(`${field}\r\n`, 'hello'), [
  ['content-length: 5', 'hello'], ['CONTENT-LENGTH: 5\r\nA: b', 'hello'], ['Content-Length : 5', no], [' Content-Length: 5', no], ['Content-Length 5', no], ['Content-Length: 5\r\nContent-Length: 5', no], ['Content-Length: 5\r\nContent-Length: 0', no],
  ['Content-Length: 5\r\ncontent-length: 6', no], ['A: b\r\n Content-Length: 5', no], ['A: b\nContent-Length: 5', no], ['A: b\rContent-Length: 5', no], ['Content-Length\0: 5', no], ['Content-Length:\r\n 5', no], ['Content Length: 5', no],
]);

const chunks = '5\r\nhello\r\n0\r\n\r\n';
family('Transfer-Encoding', (field) => ok(`${field}\r\n`, chunks), [
  ['Transfer-Encoding: chunked', 'hello'], ['transfer-encoding:CHUNKED', 'hello'], ['Transfer-Encoding:  chunked ', 'hello'], ['Transfer-Encoding: \tchunked', no], ['Transfer-Encoding: chunked\t', no],
  ['Transfer-Encoding:', no], ['Transfer-Encoding: identity', no], ['Transfer-Encoding: gzip', no], ['Transfer-Encoding: gzip, chunked', no], ['Transfer-Encoding: chunked, gzip', no], ['Transfer-Encoding: chunked, chunked', no], ['Transfer-Encoding: chunked,', no],
  ['Transfer-Encoding: ,chunked', no], ['Transfer-Encoding: "chunked"', no], ['Transfer-Encoding: xchunked', no], ['Transfer-Encoding: chunked;a=b', no], ['Transfer-Encoding: chunked\u000b', no], ['Transfer-Encoding : chunked', no], ['Transfer-Encoding: chunked\0', no],
  ['Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', no], ['Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', no], ['Transfer-Encoding: chunked\r\nContent-Length: 15', no], ['Content-Length: 15\r\nTransfer-Encoding: chunked', no], ['Content-Length: 0\r\nTransfer-Encoding: chunked', no],
  ['Transfer-Encoding: identity\r\nContent-Length: 15', no], ['Transfer-Encoding:\r\n chunked', no], ['A: b\r\n Transfer-Encoding: chunked', no],
]);
family('HTTP/1.0', (fields) => `HTTP/1.0 200 OK\r\n${fields}\r\n${chunks}`, [
  ['Transfer-Encoding: chunked\r\n', no], ['Transfer-Encoding: chunked\r\nContent-Length: 15\r\n', no], ['Content-Length: 15\r\nConnection: keep-alive\r\n', chunks], ['', `${chunks}…`], ['Connection: keep-alive\r\n', `${chunks}…`],
]);
family('no length', (fields) => ok(fields, 'hello'), [['', 'hello…'], ['Connection: close\r\n', 'hello…'], ['Connection: keep-alive\r\n', 'hello…'], ['Content_Length: 5\r\n', 'hello…'], ['X-Content-Length: 5\r\n', 'hello…']]);

family('chunks', (body) => ok('Transfer-Encoding: chunked\r\n', body), [
  ['0\r\n\r\n', ''], ['00\r\n\r\n', ''], ['5;a=b\r\nhello\r\n0\r\n\r\n', 'hello'], ['5\r\nhello\r\n0\r\nA: b\r\n\r\n', 'hello'], ['5\r\nhello\r\n0\r\nContent-Length: 3\r\n\r\n', 'hello'], ['2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n', 'hello'], ['A\r\n0123456789\r\n0\r\n\r\n', '0123456789'],
  ['5\r\nhello\r\n', 'unfinished'], ['5\r\nhello\r\n0\r\n', 'unfinished'], ['', 'unfinished'], ['fffff\r\nhello', 'unfinished'],
  ['5 \r\nhello\r\n0\r\n\r\n', no], [' 5\r\nhello\r\n0\r\n\r\n', no], ['0x5\r\nhello\r\n0\r\n\r\n', no], ['+5\r\nhello\r\n0\r\n\r\n', no], ['-5\r\nhello\r\n0\r\n\r\n', no], ['5\nhello\r\n0\r\n\r\n', no], ['5\rhello\r\n0\r\n\r\n', no], ['5\r\nhello0\r\n\r\n', no], ['5\r\nhello\n0\r\n\r\n', no],
  ['4\r\nhello\r\n0\r\n\r\n', no], ['6\r\nhello\r\n0\r\n\r\n', no], ['g\r\nhello\r\n0\r\n\r\n', no], ['\r\n5\r\nhello\r\n0\r\n\r\n', no], ['5;a\nhello\r\n0\r\n\r\n', no], ['5;\0\r\nhello\r\n0\r\n\r\n', no], ['5\r\nhello\r\n0\n\n', no], ['5\r\nhello\r\n0\r\nA : b\r\n\r\n', no], ['5\r\nhello\r\n0\r\n A: b\r\n\r\n', no],
  ['ffffffffffffffff\r\nhello\r\n0\r\n\r\n', no], ['10000000000000005\r\nhello\r\n0\r\n\r\n', no], ['5\r\nhello\r\n0\r\nA: b\n\r\n', no],
]);

family('without a body', (head) => `HTTP/1.1 ${head}\r\n\r\n`, [
  ['204 No Content', ''], ['204 No Content\r\nContent-Length: 0', ''], ['304 Not Modified', ''], ['304 Not Modified\r\nContent-Length: 5', ''], ['304 Not Modified\r\nTransfer-Encoding: chunked', ''], ['200 OK\r\nContent-Length: 0', ''], ['202 Accepted\r\nContent-Length: 0', ''],
  ['204 No Content\r\nContent-Length: 5', no], ['204 No Content\r\nTransfer-Encoding: chunked', no], ['204 No Content\r\nContent-Length: x', no], ['304 Not Modified\r\nContent-Length: 5, 5', no],
]);
family('HEAD', (head) => `HTTP/1.1 ${head}\r\n\r\n`, [['200 OK', ''], ['200 OK\r\nContent-Length: 5', ''], ['200 OK\r\nTransfer-Encoding: chunked', ''], ['404 x\r\nContent-Length: 100', ''], ['200 OK\r\nContent-Length: x', no]], 'HEAD');

const rest = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
family('interim', (head) => `HTTP/1.1 ${head}\r\n\r\n${rest}`, [
  ['100 Continue', 'ok'], ['102 Processing\r\nA: b', 'ok'], ['103 Early Hints\r\nLink: </a>; rel=preload', 'ok'], ['100 Continue\r\nContent-Length: 0', 'ok'], ['100 Continue\r\n\r\nHTTP/1.1 103 x', 'ok'],
  ['100 Continue\r\nContent-Length: 5', no], ['100 Continue\r\nTransfer-Encoding: chunked', no], ['101 Switching Protocols\r\nUpgrade: h2c', no], ['101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade', no],
]);

family('field', (field) => ok(`${field}\r\nContent-Length: 2\r\n`, 'ok'), [
  ['A:', 'ok'], ['A: b\r\nA: c', 'ok'], ['A: \u00e9', 'ok'], ['__proto__: b', 'ok'], ['Set-Cookie: a\r\nSet-Cookie: b', 'ok'], ['WWW-Authenticate: Bearer\r\nWWW-Authenticate: DPoP', 'ok'],
  ['A', no], [': b', no], ['A : b', no], [' A: b', no], ['A: b\r\n c', no], ['A: b\rc', no], ['A: b\nc', no], ['A: b\0', no], ['A: \u007f', no], ['A b: c', no], ['A\u00e9: b', no], ['\r', no], ['Content-Type: a/b\r\nContent-Type: c/d', no], ['Mcp-Session-Id: a\r\nMcp-Session-Id: b', no],
  ['Location: /a\r\nLocation: /b', no], [`A: ${'a'.repeat(17_000)}`, no], ['A: b\r\n'.repeat(100).trim(), no],
]);

// Some are in two families.
export const responses: readonly ResponseCase[] = [...new Map(cases.map((one) => [one.method + one.bytes, one])).values()];
