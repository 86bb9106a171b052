// A client: finds out the era of its server, lists its tools, and calls the one whose name begins with "add".
// A link is `{ request(message), notify(message), close(), answer, agreed(version, legacy) }`.
import { failure, protocolError, result } from './messages.mjs';
import { key, legacy, modern } from './server.mjs';

const info = { name: 'course', version: '1.0.0' };
const capabilities = { elicitation: {} };
const meta = { [key('protocolVersion')]: modern, [key('clientInfo')]: info, [key('clientCapabilities')]: capabilities };

export async function runClient(link) {
  link.answer = answer;
  try {
    const request = await connect(link);
    const tools = [];
    let cursor;
    do {
      const page = await request('tools/list', cursor === undefined ? {} : { cursor });
      tools.push(...page.tools);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    const tool = tools.find(({ name }) => name.startsWith('add'));
    if (!tool) return 0;
    const { content, isError } = await request('tools/call', { name: tool.name, arguments: { a: 2, b: 3 } });
    (isError ? console.error : console.log)(content.map(({ type, text }) => text ?? type).join('\n'));
    return isError ? 1 : 0;
  } catch (error) {
    console.error(error.message);
    return 1;
  } finally {
    await link.close();
  }
}

/** Finds the era, and gives the function that sends requests in it. */
async function connect(link) {
  let id = 0;
  const send = async (method, params) => {
    const { result: value, error } = await link.request({ jsonrpc: '2.0', id: ++id, method, params });
    if (error) throw protocolError(error.code, error.message, error.data);
    return value;
  };

  link.agreed(modern);
  const found = await Promise.race([send('server/discover', { _meta: meta }), new Promise((resolve) => setTimeout(resolve, 2000).unref())]).catch((error) => {
    // No code: the link is broken. These codes: the server is modern, and not ours.
    if (error.code === undefined || ([-32020, -32021, -32022].includes(error.code) && !error.data?.supported?.includes(legacy))) throw error;
  });
  if (found?.supportedVersions?.includes(modern)) return (method, params) => inRounds(send, method, { ...params, _meta: meta });

  link.agreed(undefined);
  const { protocolVersion } = await send('initialize', { protocolVersion: legacy, capabilities, clientInfo: info });
  if (protocolVersion !== legacy) throw new Error(`the server speaks ${protocolVersion}`);
  link.agreed(legacy);
  await link.notify({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return send;
}

/** 2026-07-28: a result may ask; then the request is sent again, with the answers. */
async function inRounds(send, method, params) {
  let value = await send(method, params);
  while (value.resultType === 'input_required') {
    const { inputRequests = {}, requestState } = value;
    const inputResponses = Object.fromEntries(Object.entries(inputRequests).map(([name, question]) => [name, answer(question).result]));
    value = await send(method, { ...params, inputResponses, ...requestState !== undefined && { requestState } });
  }
  if (![undefined, 'complete'].includes(value.resultType)) throw new Error(`a result of the type ${value.resultType}`);
  return value;
}

/** The answer to a request of the server's. */
function answer({ id, method, params }) {
  if (method === 'ping') return result(id, {});
  if (method !== 'elicitation/create') return failure(id, -32601, `Method not found: ${method}`);
  const { properties = {}, required = [] } = params.requestedSchema ?? {};
  if (required.some((name) => properties[name]?.default === undefined)) return result(id, { action: 'decline' });
  const content = Object.fromEntries(Object.entries(properties).filter(([, field]) => field.default !== undefined).map(([name, field]) => [name, field.default]));
  return result(id, { action: 'accept', content });
}
