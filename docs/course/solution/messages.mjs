// JSON-RPC 2.0: what a text is, and the answers that both roles give.
export const result = (id, value) => ({ jsonrpc: '2.0', id, result: value });
export const failure = (id, code, message, data) => ({ jsonrpc: '2.0', ...id !== undefined && { id }, error: { code, message, ...data && { data } } });
/** An error that is an answer of the protocol; others have no code. */
export const protocolError = (code, message, data) => Object.assign(new Error(message), { code, data });

export const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isId = (id) => typeof id === 'string' || Number.isSafeInteger(id);

/** Reads a message: `{ request }`, `{ notification }`, `{ response }`, or `{ refusal }`, the answer to what is none. */
export function read(text) {
  let message;
  try {
    message = JSON.parse(text);
  } catch (error) {
    return { refusal: failure(undefined, -32700, `Not JSON: ${error.message}`) };
  }
  const refuse = (why) => ({ refusal: failure(isObject(message) && isId(message.id) ? message.id : undefined, -32600, why) });
  if (!isObject(message)) return refuse('A message is an object');
  if (message.jsonrpc !== '2.0') return refuse('"jsonrpc" must be "2.0"');
  if (message.method === undefined && ('result' in message || 'error' in message)) return { response: message };
  if (typeof message.method !== 'string') return refuse('"method" must be a text');
  if (message.params !== undefined && !isObject(message.params)) return refuse('"params" must be an object');
  if (!('id' in message)) return { notification: message };
  return isId(message.id) ? { request: message } : refuse('"id" must be a text or an integer');
}

/** Calls `line` for each line of a stream. Bytes are kept until their line is whole: a character may be cut in two. */
export function onLines(stream, line) {
  let rest = Buffer.alloc(0);
  stream.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (let end; (end = rest.indexOf(10)) >= 0; rest = rest.subarray(end + 1)) {
      const text = rest.subarray(0, end).toString().trim();
      if (text !== '') line(text);
    }
  });
}
