/** Invalid JSON-RPC messages, each by the name of its fault. A server must respond with an error, or ignore the message. */
export const hostileTexts: Readonly<Record<string, string>> = {
  'a text that is not JSON': 'hello',
  'half a message': '{"jsonrpc":"2.0","id":',
  'a number': '42',
  'null': 'null',
  'an empty object': '{}',
  'a missing version': '{"id":901,"method":"ping"}',
  'another version': '{"jsonrpc":"1.0","id":902,"method":"ping"}',
  'an id that is an object': '{"jsonrpc":"2.0","id":{},"method":"ping"}',
  'a fraction as id': '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
  'a method that is a number': '{"jsonrpc":"2.0","id":903,"method":7}',
  'parameters that are a list': '{"jsonrpc":"2.0","id":904,"method":"ping","params":[1]}',
  'an answer without a request': '{"jsonrpc":"2.0","id":905,"result":{}}',
  'an error without a code': '{"jsonrpc":"2.0","id":906,"error":{"message":"x"}}',
  'an empty batch': '[]',
  'a member named __proto__': '{"jsonrpc":"2.0","id":907,"method":"none","__proto__":{"polluted":true},"params":{"__proto__":{"polluted":true}}}',
  'nesting': `{"jsonrpc":"2.0","id":908,"method":"none","params":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`,
  'a method named like a member of Object.prototype': '{"jsonrpc":"2.0","id":909,"method":"constructor"}',
};

/** Valid texts that a transport might damage. */
export const difficultTexts: readonly string[] = [
  'äöü ß é', '漢字かな', '😀👩‍👩‍👧‍👦🏳️‍🌈', '\u2028 and \u2029', 'line\nfeed\r\nand return\r', '\u0000\u0001\u001f\u007f', 'a\\u0041"\'\\', '\ud83d', '\udc00\ud800',
  '\uFEFFbegins with a mark', '\u{10FFFF}', 'é and é', `${'é'.repeat(4095)}😀`, 'data: event\n\n: comment\n\nid: 7\n\n',
];

const utf8 = new TextEncoder();
const bytes = (...parts: readonly (string | number[])[]): Uint8Array =>
  new Uint8Array(parts.flatMap((part) => (typeof part === 'string' ? [...utf8.encode(part)] : part)));

/** Invalid UTF-8, each as one message for transports with one message per line. */
export const hostileBytes: Readonly<Record<string, Uint8Array>> = {
  'an invalid byte': bytes('{"jsonrpc":"2.0","id":911,"method":"', [0xff], '"}\n'),
  'half a character': bytes('{"jsonrpc":"2.0","id":912,"method":"', [0xe2, 0x82], '"}\n'),
  'an overlong character': bytes('{"jsonrpc":"2.0","id":913,"method":"', [0xc0, 0xaf], '"}\n'),
  'half a surrogate pair in three bytes': bytes('{"jsonrpc":"2.0","id":914,"method":"', [0xed, 0xa0, 0x80], '"}\n'),
  'zeros': bytes([0, 0, 0, 0], '\n'),
};
