// The lines of a client of 2025-11-25: the handshake, calls of the three tools in turn, and the answer to a question.

/** The two lines of the handshake. `asks`: the client answers questions. */
export const handshake = (asks) => [
  `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":${asks ? '{"elicitation":{}}' : '{}'},"clientInfo":{"name":"c","version":"1"}}}`,
  '{"jsonrpc":"2.0","method":"notifications/initialized"}',
];

/** The call with the number `at`. Every third tool asks, if the client answers questions. */
export function call(at) {
  const params = [
    `"name":"set_pin","arguments":{"pin":${at % 40},"on":true}`, `"name":"read_sensor","arguments":{"unit":"C"},"_meta":{"progressToken":${at}}`, '"name":"calibrate","arguments":{}',
  ][at % 3];
  return `{"jsonrpc":"2.0","id":${at},"method":"tools/call","params":{${params}}}`;
}

/** The answer to a question; undefined if the text is not one. */
export const answerTo = (text) => (text.includes('"elicitation/create"')
  ? `{"jsonrpc":"2.0","id":${JSON.stringify(JSON.parse(text).id)},"result":{"action":"accept","content":{"dry":true}}}` : undefined);

/** True if a text is the result of a call. */
export const isResult = (text) => text.includes('"result":{"content"');

/** The handshake and a number of calls, one per line. */
export const script = (calls, asks) => `${[...handshake(asks), ...Array.from({ length: calls }, (_, at) => call(at))].join('\n')}\n`;
