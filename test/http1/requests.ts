// Requests that programs have read in two ways, or could, and similar ones with a single reading: from RFC 9110 and 9112, the tables of
// parsers, and faults found in proxies and servers, in our own words. One octet per character.

/** The first bytes of a connection, and a strict reader's result: the content, or the status of the refusal. */
export interface RequestCase {
  readonly name: string;
  readonly bytes: string;
  /** A text is the content; another request follows, which must be found. A number is the status. */
  readonly want: string | number;
}

/** The request after each of the others: a reader that misjudges the end of the first does not find it. */
export const canary = 'GET /canary HTTP/1.1\r\nHost: h\r\n\r\n';

const cases: RequestCase[] = [];
const family = (name: string, make: (variant: string) => string, variants: readonly (readonly [variant: string, want: string | number])[]): void => {
  for (const [variant, want] of variants) cases.push({ name: `${name}: ${JSON.stringify(variant)}`, bytes: make(variant), want });
};

family('request line', (line) => `${line}\r\nHost: h\r\n\r\n`, [
  ['GET / HTTP/1.1', ''], ['POST /mcp HTTP/1.1', ''], ['DELETE /mcp HTTP/1.1', ''], ['OPTIONS * HTTP/1.1', ''], ['HEAD / HTTP/1.1', ''],
  ['OPTIONS /mcp HTTP/1.1', ''], ['GET /a?b HTTP/1.1', ''], ['GET /a?b?c HTTP/1.1', ''], ['GET /? HTTP/1.1', ''], ['GET //h/a HTTP/1.1', ''],
  ['GET /%00 HTTP/1.1', ''], ['GET /%0d%0aX:%20y HTTP/1.1', ''], ['GET /a;b=c HTTP/1.1', ''], ["GET /a'()!$&*+,= HTTP/1.1", ''], ['GET /{a}|[b] HTTP/1.1', ''],
  ['GET /a/../b HTTP/1.1', ''], ['GET /a\\b HTTP/1.1', ''], ['GET / HTTP/1.0', ''],
  ['PATCH /x HTTP/1.1', ''], ['TRACE / HTTP/1.1', ''], ['QUERY /x HTTP/1.1', ''],
  ['', 400], ['GET', 400], ['GET ', 400], ['GET /', 400], ['GET / ', 400], ['GET  HTTP/1.1', 400], ['GET HTTP/1.1', 400], [' GET / HTTP/1.1', 400],
  ['GET  / HTTP/1.1', 400], ['GET /  HTTP/1.1', 400], ['GET / HTTP/1.1 ', 400], ['GET / HTTP/1.1  ', 400], ['GET\t/ HTTP/1.1', 400], ['GET /\tHTTP/1.1', 400],
  ['GET /a b HTTP/1.1', 400], ['GET / a HTTP/1.1', 400], ['GET / HTTP/1.1 HTTP/1.1', 400], ['GET /\u000b HTTP/1.1', 400], ['GET /\u000c HTTP/1.1', 400],
  ['GET /\0 HTTP/1.1', 400], ['GET\0/ HTTP/1.1', 400], ['GET /\u007f HTTP/1.1', 400], ['GET /\u0080 HTTP/1.1', 400], ['GET /\u00ff HTTP/1.1', 400],
  ['GET /\u00a0 HTTP/1.1', 400], ['GET /a#b HTTP/1.1', 400], ['GET /"a" HTTP/1.1', 400], ['GET /<a> HTTP/1.1', 400], ['GET a HTTP/1.1', 400],
  ['GET ?a HTTP/1.1', 400], ['GET * HTTP/1.1', 400], ['POST * HTTP/1.1', 400], ['OPTIONS ** HTTP/1.1', 400], ['GET h HTTP/1.1', 400], ['GET h:80 HTTP/1.1', 400],
  ['GET /\r HTTP/1.1', 400], ['GET /\n HTTP/1.1', 400], ['GET /\r\n HTTP/1.1', 400], ['G(T / HTTP/1.1', 400], ['G:T / HTTP/1.1', 400], ['G/T / HTTP/1.1', 400],
  ['G\u00e9T / HTTP/1.1', 400], ['"GET" / HTTP/1.1', 400], ['GET, / HTTP/1.1', 400], ['GET@ / HTTP/1.1', 400], ['CONNECT h:80 HTTP/1.1', 501], ['CONNECT / HTTP/1.1', 501],
]);

family('version', (version) => `GET / ${version}\r\nHost: h\r\n\r\n`, [
  ['http/1.1', 400], ['Http/1.1', 400], ['HTTP/1', 400], ['HTTP/1.', 400], ['HTTP/11', 400], ['HTTP/1.10', 400], ['HTTP/01.1', 400], ['HTTP/1.01', 400],
  ['HTTP/1,1', 400], ['HTTP/ 1.1', 400], ['HTTP /1.1', 400], ['HTTP/1 .1', 400], ['HTTP/-1.1', 400], ['HTTP/+1.1', 400], ['HTTP/1.a', 400], ['HTTP/a.1', 400],
  ['HTTPS/1.1', 400], ['HTTQ/1.1', 400], ['HTTP\\1.1', 400], ['ICE/1.0', 400], ['RTSP/1.0', 400], ['\u0000HTTP/1.1', 400], ['HTTP/1.1\0', 400], ['HTTP/1.1\u000b', 400],
  ['HTTP/0.9', 505], ['HTTP/1.2', 505], ['HTTP/1.9', 505], ['HTTP/2.0', 505], ['HTTP/2.1', 505], ['HTTP/3.0', 505], ['HTTP/9.9', 505],
]);
cases.push({ name: 'version: the preface of HTTP/2', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', want: 505 });

family('absolute target', (line) => `GET ${line}\r\n\r\n`, [
  ['http://h/ HTTP/1.1\r\nHost: h', ''], ['http://h/a?b HTTP/1.1\r\nHost: h', ''], ['http://h HTTP/1.1\r\nHost: h', ''], ['http://h?a HTTP/1.1\r\nHost: h', ''],
  ['https://h/ HTTP/1.1\r\nHost: h', ''], ['HTTP://H/ HTTP/1.1\r\nHost: h', ''], ['http://h:80/ HTTP/1.1\r\nHost: h:80', ''], ['http://[::1]/ HTTP/1.1\r\nHost: [::1]', ''],
  ['http://h/ HTTP/1.1\r\nHost: g', 400], ['http://h:80/ HTTP/1.1\r\nHost: h', 400], ['http://h/ HTTP/1.1\r\nHost: h:80', 400], ['http://h/ HTTP/1.1\r\nHost:', 400],
  ['http://h/ HTTP/1.1', 400], ['http://h/ HTTP/1.0', 400], ['http:///a HTTP/1.1\r\nHost: h', 400], ['http:/h HTTP/1.1\r\nHost: h', 400], ['http:h HTTP/1.1\r\nHost: h', 400],
  ['ftp://h/ HTTP/1.1\r\nHost: h', 400], ['file:///a HTTP/1.1\r\nHost: h', 400], ['http://u@h/ HTTP/1.1\r\nHost: h', 400], ['http://h\\@g/ HTTP/1.1\r\nHost: g', 400],
  ['http://g/ http://h/ HTTP/1.1\r\nHost: h', 400], ['://h/ HTTP/1.1\r\nHost: h', 400], ['http://h#a HTTP/1.1\r\nHost: h', 400],
]);

family('Host', (fields) => `GET / HTTP/1.1\r\n${fields}\r\n`, [
  ['Host: h\r\n', ''], ['host: h\r\n', ''], ['HOST: h\r\n', ''], ['Host:h\r\n', ''], ['Host:   h  \r\n', ''], ['Host:\th\r\n', 400], ['Host: \th\r\n', 400], ['Host: h\t\r\n', 400], ['Host: h \t \r\n', 400], ['Host:\r\n', ''], ['Host: \r\n', ''], ['Host: h:80\r\n', ''],
  ['Host: h:\r\n', ''], ['Host: 127.0.0.1:3000\r\n', ''], ['Host: [::1]:3000\r\n', ''], ['Host: [::ffff:1.2.3.4]\r\n', ''], ['Host: a.b-c.d_e\r\n', ''], ['Host: h%20\r\n', ''],
  ['', 400], ['Host: h\r\nHost: h\r\n', 400], ['Host: h\r\nHost: g\r\n', 400], ['Host: h\r\nA: b\r\nhOST: h\r\n', 400], ['Host: h, g\r\n', 400], ['Host: h g\r\n', 400],
  ['Host: h/\r\n', 400], ['Host: h/a\r\n', 400], ['Host: http://h\r\n', 400], ['Host: u@h\r\n', 400], ['Host: h?a\r\n', 400], ['Host: h#a\r\n', 400], ['Host: h\\g\r\n', 400],
  ['Host: h:80:80\r\n', 400], ['Host: h:8a\r\n', 400], ['Host: h:-1\r\n', 400], ['Host: h:800000\r\n', 400], ['Host: [::1\r\n', 400], ['Host: ::1\r\n', 400], ['Host: [h]\r\n', 400],
  ['Host: "h"\r\n', 400], ['Host: <h>\r\n', 400], ['Host: \u00e9\r\n', 400], ['Host: h\0\r\n', 400], ['Host: h\tg\r\n', 400], ['Host : h\r\n', 400], [' Host: h\r\n', 400],
  ['Host\r\n', 400], ['Hos: h\r\n', 400], ['Host: h\r\n g\r\n', 400], ['A: b\r\n Host: h\r\n', 400],
]);
cases.push(
  { name: 'Host: none in HTTP/1.0', bytes: 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n', want: '' },
  { name: 'Host: two in HTTP/1.0', bytes: 'GET / HTTP/1.0\r\nHost: h\r\nHost: h\r\n\r\n', want: 400 },
);

const post = (fields: string, body: string): string => `POST / HTTP/1.1\r\nHost: h\r\n${fields}\r\n${body}`;
family('Content-Length', (value) => post(`Content-Length:${value}\r\n`, 'hello'), [
  [' 5', 'hello'], ['5', 'hello'], ['\t5', 400], ['5\t', 400], [' \t 5 ', 400], [' 5 \t ', 400], ['  5  ', 'hello'], [' 05', 'hello'], [' 000000000000005', 'hello'],
  ['', 400], [' ', 400], [' +5', 400], [' -5', 400], [' 5 5', 400], [' 5,5', 400], [' 5, 5', 400], [' 5,6', 400], [' 5,', 400], [' ,5', 400], [' 5;', 400], [' 5.', 400],
  [' 5.0', 400], [' 5e0', 400], [' 0x5', 400], [' 0o5', 400], [' 0b101', 400], [' 5_', 400], [' 0_5', 400], [' _5', 400], [' "5"', 400], [" '5'", 400], [' 5a', 400], [' a5', 400],
  [' 5\0', 400], [' \u000b5', 400], [' 5\u000b', 400], [' \u00a05', 400], [' \u00b2', 400], [' 5\u00a0', 400], [' 5 \t6', 400], [' five', 400], [' Infinity', 400], [' NaN', 400], [' null', 400],
  [' 9999999999999999', 400], [' 18446744073709551621', 400], [' 4294967301', 'unfinished'], [' 0000000000000000005', 400], [' -0', 400], [' +0', 400], [' 5\r\n 6', 400], [' 5\r6', 400], [' 5\n6', 400],
]);
family('Content-Length, name', (field) => post(`${field}\r\n`, 'hello'), [
  ['content-length: 5', 'hello'], ['CONTENT-LENGTH: 5', 'hello'], ['Content-Length: 5\r\nA: b', 'hello'], ['A: b\r\nContent-Length: 5', 'hello'], ['Connection: content-length\r\nContent-Length: 5', 'hello'],
  ['Content-Length : 5', 400], ['Content-Length\t: 5', 400], [' Content-Length: 5', 400], ['\tContent-Length: 5', 400], ['Content-Length 5', 400], ['Content-Length', 400], ['Content Length: 5', 400],
  ['Content-Length: 5\r\nContent-Length: 5', 400], ['Content-Length: 5\r\nContent-Length: 6', 400], ['Content-Length: 0\r\nContent-Length: 5', 400], ['Content-Length: 5\r\ncontent-length: 0', 400],
  ['Content-Length: 5\r\nA: b\r\nContent-Length: 5', 400], ['Content-Length:\r\n 5', 400], ['Content-Length:\r\n\t5', 400], ['A: b\r\n Content-Length: 5', 400], ['\0Content-Length: 5', 400],
  ['Content-Length\0: 5', 400], ['Content-Length\u000b: 5', 400], ['\u000bContent-Length: 5', 400], ['Content-Length:: 5', 400], [': 5', 400], ['A: b\nContent-Length: 5', 400], ['A: b\rContent-Length: 5', 400],
  ['Content-Length: 5\nA: b', 400], ['Content-Length: 5\rA: b', 400], ['Content-Length: 5\r\rA: b', 400], ['Content-Length: 5\r\n\rA: b', 400], ['"Content-Length": 5', 400], ['Content-Length\u00a0: 5', 400],
]);
family('no length', (fields) => post(fields, ''), [['', ''], ['Content-Length: 0\r\n', ''], ['Content_Length: 5\r\n', ''], ['X-Content-Length: 5\r\n', ''], ['Content-Lengt: 5\r\n', ''], ['Transfer_Encoding: chunked\r\n', '']]);

const chunks = '5\r\nhello\r\n0\r\n\r\n';
family('Transfer-Encoding', (value) => post(`Transfer-Encoding:${value}\r\n`, chunks), [
  [' chunked', 'hello'], ['chunked', 'hello'], [' Chunked', 'hello'], [' CHUNKED', 'hello'], ['\tchunked', 400], ['chunked\t', 400], [' \tchunked \t', 400], ['   chunked   ', 'hello'],
  ['', 400], [' ', 400], [' ,', 400], [' chunked,', 400], [' ,chunked', 400], [' chunked, chunked', 400], [' chunked,chunked', 400], [' chunked, identity', 400], [' chunked, gzip', 400],
  [' identity', 400], [' gzip', 400], [' deflate', 400], [' compress', 400], [' x', 400], [' gzip, chunked', 501], [' gzip,chunked', 501], [' identity, chunked', 501], [' deflate, chunked', 501],
  [' chunked;', 400], [' chunked;a=b', 400], [' chunked a', 400], [' a chunked', 400], [' "chunked"', 400], [" 'chunked'", 400], [' (chunked)', 400], [' chunkedx', 400], [' xchunked', 400], [' x-chunked', 400],
  [' chunke', 400], [' chunked\0', 400], [' \0chunked', 400], [' \u000bchunked', 400], [' chunked\u000b', 400], [' \u000cchunked', 400], [' chunked\u00a0', 400], [' \u00a0chunked', 400], [' chunk\u212aed'.replace('\u212a', '\u00e9'), 400],
  [' chunked\r\n ', 400], ['\r\n chunked', 400], ['\r\n\tchunked', 400], [' chunked\r', 400], [' chunked\n', 400], [' chunk ed', 400], [' chunked\r\n gzip', 400], [' gzip, chunked, gzip', 400], [' gzip;q=1, chunked', 400],
]);
family('Transfer-Encoding, name', (field) => post(`${field}\r\n`, chunks), [
  ['transfer-encoding: chunked', 'hello'], ['TRANSFER-ENCODING: chunked', 'hello'], ['Connection: transfer-encoding\r\nTransfer-Encoding: chunked', 'hello'], ['TE: trailers\r\nTransfer-Encoding: chunked', 'hello'],
  ['Transfer-Encoding : chunked', 400], ['Transfer-Encoding\t: chunked', 400], [' Transfer-Encoding: chunked', 400], ['Transfer-Encoding chunked', 400], ['Transfer Encoding: chunked', 400],
  ['Transfer-Encoding\0: chunked', 400], ['\u000bTransfer-Encoding: chunked', 400], ['A: b\r\n Transfer-Encoding: chunked', 400], ['A: b\rTransfer-Encoding: chunked', 400], ['A: b\nTransfer-Encoding: chunked', 400],
  ['A:\nTransfer-Encoding: chunked', 400], ['A\r\nTransfer-Encoding: chunked', 400], ['A: b\r\n\rTransfer-Encoding: chunked', 400],
  ['Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', 400], ['Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', 400], ['Transfer-Encoding: identity\r\nTransfer-Encoding: chunked', 400],
  ['Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked', 400], ['Transfer-Encoding:\r\nTransfer-Encoding: chunked', 400],
]);
family('both lengths', (fields) => post(fields, chunks), [
  ['Content-Length: 15\r\nTransfer-Encoding: chunked\r\n', 400], ['Transfer-Encoding: chunked\r\nContent-Length: 15\r\n', 400], ['Content-Length: 0\r\nTransfer-Encoding: chunked\r\n', 400],
  ['Content-Length: 3\r\nTransfer-Encoding: chunked\r\n', 400], ['Content-Length: 15\r\nTransfer-Encoding: identity\r\n', 400], ['Content-Length: 15\r\nTransfer-Encoding: x\r\n', 400], ['Content-Length: 15\r\nTransfer-Encoding:\r\n', 400],
  ['Content-Length:\r\nTransfer-Encoding: chunked\r\n', 400], ['Content-Length: x\r\nTransfer-Encoding: chunked\r\n', 400], ['Content-Length: 15\r\nTransfer-Encoding : chunked\r\n', 400], ['Content-Length: 15\r\nTransfer-Encoding\r\n: chunked\r\n', 400],
]);
cases.push(
  { name: 'Transfer-Encoding in HTTP/1.0', bytes: `POST / HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`, want: 400 },
  { name: 'Transfer-Encoding in HTTP/1.0 with a length', bytes: `POST / HTTP/1.0\r\nHost: h\r\nContent-Length: 15\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`, want: 400 },
  { name: 'HTTP/1.0 with a length', bytes: 'POST / HTTP/1.0\r\nConnection: Keep-Alive\r\nContent-Length: 5\r\n\r\nhello', want: 'hello' },
  { name: 'GET with a length', bytes: 'GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello', want: 'hello' },
  { name: 'GET with chunks', bytes: `GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`, want: 'hello' },
  { name: 'a body that looks like a request', bytes: post(`Content-Length: ${canary.length}\r\n`, canary), want: canary },
  { name: 'a chunk that looks like a request', bytes: post('Transfer-Encoding: chunked\r\n', `${canary.length.toString(16)}\r\n${canary}\r\n0\r\n\r\n`), want: canary },
);

family('chunks', (body) => post('Transfer-Encoding: chunked\r\n', body), [
  [chunks, 'hello'], ['0\r\n\r\n', ''], ['000\r\n\r\n', ''], ['05\r\nhello\r\n0\r\n\r\n', 'hello'], ['00000005\r\nhello\r\n0\r\n\r\n', 'hello'], ['1\r\nh\r\n4\r\nello\r\n0\r\n\r\n', 'hello'],
  ['a\r\n0123456789\r\n0\r\n\r\n', '0123456789'], ['A\r\n0123456789\r\n0\r\n\r\n', '0123456789'], ['f\r\n0123456789abcde\r\n0\r\n\r\n', '0123456789abcde'], ['1F\r\n0123456789abcdefghijklmnopqrstu\r\n0\r\n\r\n', '0123456789abcdefghijklmnopqrstu'],
  ['2\r\n\r\n\r\n0\r\n\r\n', '\r\n'], ['5\r\n0\r\n\r\n\r\n0\r\n\r\n', '0\r\n\r\n'],
  ['5;a\r\nhello\r\n0\r\n\r\n', 'hello'], ['5;a=b\r\nhello\r\n0\r\n\r\n', 'hello'], ['5;a="b"\r\nhello\r\n0\r\n\r\n', 'hello'], ['5;\r\nhello\r\n0\r\n\r\n', 'hello'], ['5;a=b;c=d\r\nhello\r\n0;e\r\n\r\n', 'hello'], ['5; a = b \r\nhello\r\n0\r\n\r\n', 'hello'],
  ['5\r\nhello\r\n0\r\nA: b\r\n\r\n', 'hello'], ['5\r\nhello\r\n0\r\nContent-Length: 9\r\n\r\n', 'hello'], ['5\r\nhello\r\n0\r\nTransfer-Encoding: x\r\n\r\n', 'hello'], ['5\r\nhello\r\n0\r\nHost: g\r\nA: b\r\n\r\n', 'hello'],
  ['', 'unfinished'], ['5', 'unfinished'], ['ffffff\r\nhello', 'unfinished'],
  ['\r\n5\r\nhello\r\n0\r\n\r\n', 400], [' 5\r\nhello\r\n0\r\n\r\n', 400], ['5 \r\nhello\r\n0\r\n\r\n', 400], ['5\t\r\nhello\r\n0\r\n\r\n', 400], ['5 ;a\r\nhello\r\n0\r\n\r\n', 400], ['+5\r\nhello\r\n0\r\n\r\n', 400], ['-5\r\nhello\r\n0\r\n\r\n', 400],
  ['0x5\r\nhello\r\n0\r\n\r\n', 400], ['5h\r\nhello\r\n0\r\n\r\n', 400], ['5_\r\nhello\r\n0\r\n\r\n', 400], ['0_5\r\nhello\r\n0\r\n\r\n', 400], ['g\r\nhello\r\n0\r\n\r\n', 400], ['5,\r\nhello\r\n0\r\n\r\n', 400], ['5.\r\nhello\r\n0\r\n\r\n', 400], ['"5"\r\nhello\r\n0\r\n\r\n', 400],
  ['5\0\r\nhello\r\n0\r\n\r\n', 400], ['5\u000b\r\nhello\r\n0\r\n\r\n', 400], ['\u00b5\r\nhello\r\n0\r\n\r\n', 400], [';a\r\nhello\r\n0\r\n\r\n', 400], ['5 6\r\nhello\r\n0\r\n\r\n', 400], ['5\r\n\r\nhello\r\n0\r\n\r\n', 400],
  ['5\nhello\r\n0\r\n\r\n', 400], ['5\rhello\r\n0\r\n\r\n', 400], ['5\r\rhello\r\n0\r\n\r\n', 400], ['5\r\nhello\n0\r\n\r\n', 400], ['5\r\nhello\r0\r\n\r\n', 400], ['5\r\nhello0\r\n\r\n', 400], ['5\r\nhello\r\n0\n\r\n', 400], ['5\r\nhello\r\n0\r\r\n\r\n', 400],
  ['5\r\nhello\r\n0\r\n\n', 400], ['5\r\nhello\r\n0\r\n\r\r', 400], ['5\r\nhelloX\r\n0\r\n\r\n', 400], ['5\r\nhelloX\n0\r\n\r\n', 400], ['5\r\nhello\n\n0\r\n\r\n', 400], ['6\r\nhello\r\n0\r\n\r\n', 400], ['4\r\nhello\r\n0\r\n\r\n', 400], ['5\r\nhello  \r\n0\r\n\r\n', 400], ['5\r\nhello \r\n0\r\n\r\n', 400],
  ['5;a\nhello\r\n0\r\n\r\n', 400], ['5;\nhello\r\n0\r\n\r\n', 400], ['5;a\rb\r\nhello\r\n0\r\n\r\n', 400], ['5;a="\r\n"\r\nhello\r\n0\r\n\r\n', 400], ['5;a="\n"\r\nhello\r\n0\r\n\r\n', 400], ['5;\0\r\nhello\r\n0\r\n\r\n', 400], ['5;\u007f\r\nhello\r\n0\r\n\r\n', 400],
  ['0;\n\r\n', 400], ['5\r\nhello\r\n0;\nA: b\r\n\r\n', 400], ['5\r\nhello\r\n0\r\n A: b\r\n\r\n', 400], ['5\r\nhello\r\n0\r\nA : b\r\n\r\n', 400], ['5\r\nhello\r\n0\r\nA: b\n\r\n', 400], ['5\r\nhello\r\n0\r\nA\r\n\r\n', 400], ['5\r\nhello\r\n0\r\nA: b\r\n c\r\n\r\n', 400],
  ['5\r\nhello\r\n0\r\n: b\r\n\r\n', 400], ['5\r\nhello\r\n0\r\nA: \0\r\n\r\n', 400], ['5\r\nhello\r\n0\r\nA: b\r\n\r', 'unfinished'],
  ['fffffffffffffffff\r\nhello\r\n0\r\n\r\n', 400], ['10000000000000005\r\nhello\r\n0\r\n\r\n', 400], ['0000000000000005\r\nhello\r\n0\r\n\r\n', 400], ['100000005\r\nhello\r\n0\r\n\r\n', 'unfinished'], ['-1\r\nhello\r\n0\r\n\r\n', 400],
]);

family('field', (field) => `GET / HTTP/1.1\r\nHost: h\r\n${field}\r\n\r\n`, [
  ['A:', ''], ['A: ', ''], ['A: b c', ''], ['A: b\tc', ''], ['A: \u00e9\u00ff\u0080', ''], ["!#$%&'*+-.^_`|~09aZ: b", ''], ['A: "b', ''], ['A: b:c', ''], ['A: b\r\nA: c', ''], ['__proto__: b', ''], ['constructor: b\r\n__proto__: c', ''],
  ['A', 400], ['A:\tb', 400], ['A: b\t', 400], ['A:\t', 400], ['A: \t', 400], [':', 400], [': b', 400], ['A b: c', 400], ['A : b', 400], ['A\t: b', 400], [' A: b', 400], ['\tA: b', 400], ['A: b\r\n c', 400], ['A: b\r\n\tc', 400], ['A: b\r\n \r\n', 400], ['A:\r\n b', 400],
  ['A: b\rc', 400], ['A: b\nc', 400], ['A: b\n', 400], ['A: b\r', 400], ['\r', 400], ['A: \r\r', 400], ['\nA: b', 400], ['\rA: b', 400], ['A\u00e9: b', 400], ['A(: b', 400], ['A,: b', 400], ['A;: b', 400], ['A=: b', 400], ['A@: b', 400],
  ['A[: b', 400], ['A{: b', 400], ['A": b', 400], ['A/: b', 400], ['A\\: b', 400], ['A\u007f: b', 400], ['A?: b', 400], ['<A>: b', 400],
]);
// RFC 9110, 5.5: CR, LF and NUL are dangerous; the other control characters are not allowed.
family('control character in a value', (octet) => `GET / HTTP/1.1\r\nHost: h\r\nA: b${octet}c\r\n\r\n`,
  Array.from({ length: 33 }, (_, i) => (i === 32 ? 127 : i)).filter((i) => i !== 9).map((i) => [String.fromCharCode(i), 400] as const));
family('control character in a name', (octet) => `GET / HTTP/1.1\r\nHost: h\r\nA${octet}B: c\r\n\r\n`,
  Array.from({ length: 33 }, (_, i) => [String.fromCharCode(i), 400] as const));

family('line end', (bytes) => bytes, [
  ['\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n', ''], ['GET / HTTP/1.1\r\nHost: h\r\n\r\n', ''],
  ['\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n', 400], ['\nGET / HTTP/1.1\r\nHost: h\r\n\r\n', 400], ['\rGET / HTTP/1.1\r\nHost: h\r\n\r\n', 400], ['\r\rGET / HTTP/1.1\r\nHost: h\r\n\r\n', 400], ['GET / HTTP/1.1\nHost: h\r\n\r\n', 400],
  ['GET / HTTP/1.1\rHost: h\r\n\r\n', 400], ['GET / HTTP/1.1\r\nHost: h\n\n', 400], ['GET / HTTP/1.1\r\nHost: h\r\n\n', 400], ['GET / HTTP/1.1\r\nHost: h\n\r\n', 400], ['GET / HTTP/1.1\r\nHost: h\r\r\n\r\n', 400], ['GET / HTTP/1.1\r\nHost: h\r\n\r\r\n', 400],
  ['GET / HTTP/1.1\r\n Host: h\r\n\r\n', 400], ['GET / HTTP/1.1\r\n\r\nHost: h\r\n\r\n', 400], ['GET /\r\n\r\n', 400], ['\u0016\u0003\u0001\u0002\0\u0001', 400], ['\0\0\0\0', 400], ['\u00ef\u00bb\u00bfGET / HTTP/1.1\r\nHost: h\r\n\r\n', 400],
]);

family('repeated', (field) => `GET / HTTP/1.1\r\nHost: h\r\n${field}\r\n\r\n`, [
  ['Authorization: Bearer a\r\nAuthorization: Bearer b', 400], ['Content-Type: application/json\r\nContent-Type: text/plain', 400], ['Origin: http://a\r\nOrigin: http://b', 400], ['Mcp-Session-Id: a\r\nMcp-Session-Id: a', 400],
  ['MCP-Protocol-Version: 2025-06-18\r\nMcp-Protocol-Version: 2026-07-28', 400], ['Mcp-Method: ping\r\nMcp-Method: tools/call', 400], ['Last-Event-ID: 1\r\nLast-Event-ID: 2', 400], ['Expect: 100-continue\r\nExpect: 100-continue', 400],
  ['Accept: a/b\r\nAccept: c/d', ''], ['Cookie: a\r\nCookie: b', ''], ['X-Forwarded-For: a\r\nX-Forwarded-For: b', ''], ['Via: 1.1 a\r\nVia: 1.1 b', ''],
]);

family('connection', (fields) => post(`${fields}\r\nContent-Length: 5\r\n`, 'hello'), [
  ['Connection: keep-alive', 'hello'], ['Connection: Keep-Alive, x', 'hello'], ['Connection: closed', 'hello'], ['Keep-Alive: timeout=5', 'hello'], ['Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__', 'hello'],
  ['Connection: upgrade\r\nUpgrade: websocket', 'hello'], ['Expect: 100-continue', 'hello'], ['Expect: 100-Continue', 'hello'], ['Proxy-Connection: close', 'hello'], ['TE: trailers', 'hello'], ['Trailer: A', 'hello'],
  ['Expect: x', 417], ['Expect:', 417], ['Expect: 100-continue, x', 417], ['Expect: 200-ok', 417], ['Expect: 100 -continue', 417],
]);

cases.push(
  { name: 'limit: a first line', bytes: `GET /${'a'.repeat(17_000)} HTTP/1.1\r\nHost: h\r\n\r\n`, want: 414 },
  { name: 'limit: a field', bytes: `GET / HTTP/1.1\r\nHost: h\r\nA: ${'a'.repeat(17_000)}\r\n\r\n`, want: 431 },
  { name: 'limit: a long field that fits', bytes: `GET / HTTP/1.1\r\nHost: h\r\nA: ${'a'.repeat(16_000)}\r\n\r\n`, want: '' },
  { name: 'limit: white space', bytes: `GET / HTTP/1.1\r\nHost: h\r\nA:${' '.repeat(17_000)}b\r\n\r\n`, want: 431 },
  { name: 'limit: a name', bytes: `GET / HTTP/1.1\r\nHost: h\r\n${'a'.repeat(17_000)}: b\r\n\r\n`, want: 431 },
  { name: 'limit: 101 fields', bytes: `GET / HTTP/1.1\r\nHost: h\r\n${'A: b\r\n'.repeat(100)}\r\n`, want: 431 },
  { name: 'limit: 100 fields', bytes: `GET / HTTP/1.1\r\nHost: h\r\n${'A: b\r\n'.repeat(99)}\r\n`, want: '' },
  { name: 'limit: a chunk extension', bytes: post('Transfer-Encoding: chunked\r\n', `5;${'a'.repeat(4100)}\r\nhello\r\n0\r\n\r\n`), want: 413 },
  { name: 'limit: many chunk extensions', bytes: post('Transfer-Encoding: chunked\r\n', `${`1;${'a'.repeat(100)}\r\nx\r\n`.repeat(50)}0\r\n\r\n`), want: 413 },
  { name: 'limit: 101 trailers', bytes: post('Transfer-Encoding: chunked\r\n', `0\r\n${'A: b\r\n'.repeat(101)}\r\n`), want: 431 },
  { name: 'limit: a long trailer', bytes: post('Transfer-Encoding: chunked\r\n', `0\r\nA: ${'a'.repeat(17_000)}\r\n\r\n`), want: 431 },
);

// Some are in two families.
export const requests: readonly RequestCase[] = [...new Map(cases.map((one) => [one.bytes, one])).values()];
