// The requirements of a vendor's API for requests, and the form of its responses, as far as the tests use them. The local servers
// refuse the same requests as the real ones, according to their documents (2026-11).
import assert from 'node:assert/strict';

export type Body = Record<string, any>;

/** A result passed to the model. */
export interface Brought {
  readonly id: string;
  readonly text: string;
  readonly images: number;
  readonly failed: boolean;
}

export interface Format {
  readonly path: string;
  /** Environment variables that point the example to an address. */
  readonly environment: (url: string) => Record<string, string>;
  readonly check: (body: Body, headers: Record<string, unknown>) => void;
  /** The results in the last turn of a request. */
  readonly brought: (body: Body) => Brought[];
  readonly call: (...calls: { id: string; name: string; args: unknown }[]) => unknown;
  readonly say: (text: string) => unknown;
}

const toolName = /^[A-Za-z0-9_-]{1,64}$/;

function checkSchema(schema: Body): void {
  assert.equal(schema['type'], 'object');
  for (const keyword of ['oneOf', 'anyOf', 'allOf', 'not', 'enum']) assert.ok(!(keyword in schema), `${keyword} at the top`);
  for (const name of Object.keys(schema['properties'])) assert.match(name, /^[a-zA-Z0-9_.-]{1,64}$/);
}

const anthropicAnswer = (content: unknown[], stop_reason: string): unknown => ({
  id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-local', content, stop_reason, stop_sequence: null,
  usage: { input_tokens: 100, output_tokens: 10 },
});

export const anthropic: Format = {
  path: '/v1/messages',
  environment: (url) => ({ ANTHROPIC_API_KEY: 'sk-local', ANTHROPIC_BASE_URL: url, MODEL_URL: `${url}/v1` }),
  check({ max_tokens, tools = [], messages }, headers) {
    assert.ok(headers['anthropic-version']);
    assert.ok(headers['x-api-key'] === 'sk-local' || headers['authorization'] === 'Bearer sk-local');
    assert.ok(max_tokens > 0);
    for (const { name, input_schema: schema, strict } of tools) {
      assert.match(name, toolName);
      assert.notEqual(strict, true);
      checkSchema(schema);
    }
    let open: string[] = [];
    for (const { role, content } of messages as Body[]) {
      const blocks: Body[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
      if (role === 'user') assert.deepEqual(blocks.filter(({ type }) => type === 'tool_result').map((block) => block['tool_use_id']), open);
      for (const block of blocks.flatMap((one) => [one, ...Array.isArray(one['content']) ? one['content'] : []])) {
        if (block['type'] === 'text') assert.notEqual(block['text'], '');
        if (block['type'] === 'image') assert.match(block['source'].media_type, /^image\/(png|jpeg|gif|webp)$/);
      }
      open = blocks.filter(({ type }) => type === 'tool_use').map((block) => block['id']);
    }
    assert.deepEqual(open, []);
  },
  brought({ messages }) {
    const content = messages.at(-1).content;
    if (!Array.isArray(content)) return [];
    return content.filter((block: Body) => block['type'] === 'tool_result').map(({ tool_use_id: id, content: inner, is_error: failed }: Body) => {
      const blocks: Body[] = typeof inner === 'string' ? [{ type: 'text', text: inner }] : inner;
      return { id, text: blocks.map(({ text }) => text ?? '').join('\n'), images: blocks.filter(({ type }) => type === 'image').length, failed: failed === true };
    });
  },
  call: (...calls) => anthropicAnswer(calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })), 'tool_use'),
  say: (text) => anthropicAnswer([{ type: 'text', text }], 'end_turn'),
};

const responsesAnswer = (output: unknown[]): unknown => ({
  id: 'resp_1', object: 'response', created_at: 0, status: 'completed', model: 'gpt-local', output, parallel_tool_calls: true, tools: [],
  error: null, incomplete_details: null, usage: { input_tokens: 100, output_tokens: 10, total_tokens: 110 },
});

export const openai: Format = {
  path: '/v1/responses',
  environment: (url) => ({ OPENAI_API_KEY: 'sk-local', OPENAI_BASE_URL: `${url}/v1` }),
  check({ tools = [], input }, headers) {
    assert.match(String(headers['authorization']), /^Bearer /);
    for (const { type, name, parameters, strict } of tools) {
      assert.equal(type, 'function');
      assert.match(name, toolName);
      assert.equal(strict, false);
      checkSchema(parameters);
    }
    const answered = input.filter(({ type }: Body) => type === 'function_call_output').map((item: Body) => item['call_id']);
    assert.deepEqual(answered, input.filter(({ type }: Body) => type === 'function_call').map((item: Body) => item['call_id']));
  },
  brought({ input }) {
    const since = input.findLastIndex(({ type }: Body) => type === 'function_call');
    return input.slice(since + 1).filter(({ type }: Body) => type === 'function_call_output').map(({ call_id: id, output }: Body) => {
      const text = output.map((item: Body) => item['text'] ?? '').join('\n');
      return { id, text, images: output.filter((item: Body) => item['type'] === 'input_image').length, failed: text.startsWith('The call failed:') };
    });
  },
  call: (...calls) => responsesAnswer(calls.map(({ id, name, args }) => ({ type: 'function_call', id: `fc_${id}`, call_id: id, name, arguments: JSON.stringify(args), status: 'completed' }))),
  say: (text) => responsesAnswer([{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text, annotations: [] }] }]),
};
