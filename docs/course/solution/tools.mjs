// What the server can do. `run` gets the arguments and the call: `progress(done, total)` and an abort signal.
import { isObject, protocolError } from './messages.mjs';

let waiting = 0;
function fail(message, code, data) {
  throw protocolError(code, message, data);
}
const numbers = (...names) => ({ type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'number' }])), required: names });
const nothing = { type: 'object' };

export const tools = new Map(Object.entries({
  add: { description: 'Adds two numbers', inputSchema: numbers('a', 'b'), run: ({ a, b }) => String(a + b) },
  test_simple_text: { description: 'Says a sentence', inputSchema: nothing, run: () => 'This is a simple text response for testing.' },
  test_error_handling: { description: 'Fails', inputSchema: nothing, run: () => fail('This tool intentionally returns an error for testing') },
  fail: { description: 'Fails as programs do', inputSchema: nothing, run: () => fail('the disk is full') },
  refuse: { description: 'Fails as a protocol does', inputSchema: nothing, run: () => fail('not on Sundays', 4050, { day: 'Sunday' }) },
  count: { description: 'Counts, and tells how far it is', inputSchema: numbers('to'), run: ({ to }, call) => {
    for (let step = 1; step <= to; step++) call.progress(step, to);
    return `counted to ${to}`;
  } },
  wait: { description: 'Waits until it is cancelled', inputSchema: nothing, run: async (_args, { signal }) => {
    waiting++;
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return `${--waiting} more wait`;
  } },
  waiting: { description: 'How many calls wait', inputSchema: nothing, run: () => String(waiting) },
}));

/** Why arguments do not fit a schema; undefined where they do. */
function misfit({ properties = {}, required = [] }, args) {
  const missing = required.find((name) => !Object.hasOwn(args, name));
  if (missing !== undefined) return `arguments.${missing} is missing`;
  const wrong = Object.keys(properties).find((name) => Object.hasOwn(args, name) && typeof args[name] !== properties[name].type);
  return wrong && `arguments.${wrong} must be a ${properties[wrong].type}`;
}

export const list = () => [...tools].map(([name, { description, inputSchema }]) => ({ name, description, inputSchema }));

/** Calls a tool. What goes wrong inside it is a result; what is wrong about the call is thrown. */
export async function call({ name, arguments: args = {} }, context) {
  const tool = tools.get(name);
  if (!tool) fail(`Unknown tool: ${name}`, -32602);
  if (!isObject(args)) fail('params.arguments must be an object', -32602);
  try {
    const why = misfit(tool.inputSchema, args);
    if (why) fail(why);
    return { content: [{ type: 'text', text: await tool.run(args, context) }] };
  } catch (error) {
    if (error.code !== undefined) throw error;
    return { content: [{ type: 'text', text: error.message }], isError: true };
  }
}
