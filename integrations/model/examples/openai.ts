// The same as anthropic.ts with OpenAI's Responses.
//
//   node dist/examples/openai.js "Book a seat" node server.mjs         OPENAI_API_KEY, MODEL; OPENAI_BASE_URL changes the address
import OpenAI from 'openai';
import type { ResponseInput } from 'openai/resources/responses/responses';
import { visible } from 'barewire/explain';
import { Host } from 'barewire/host';
import { openServer } from 'barewire/host/node';
import { resultFor, toolsFor } from 'barewire-model/openai';
import type { Outcome } from 'barewire-model/openai';
import { person } from './terminal.ts';

const budget = { turns: 10, tokens: 20_000, sampledTokens: 1_000 };
const [request = '', command = '', ...args] = process.argv.slice(2);
const openai = new OpenAI();
const model = process.env['MODEL'] ?? 'gpt-5-mini';

const host = new Host({
  info: { name: 'model-example', version: '1.0.0' },
  servers: { demo: { command, args, maxSampledTokens: budget.sampledTokens } },
  transport: openServer,
  person,
  // Answers a server's request for text. Only text goes to the model.
  model: async ({ messages, systemPrompt, maxTokens }) => {
    const answer = await openai.responses.create({
      model, store: false, max_output_tokens: maxTokens, ...systemPrompt !== undefined && { instructions: systemPrompt },
      input: messages.map(({ role, content }) => ({
        role, content: [content].flat().map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n'),
      })),
    });
    return {
      role: 'assistant', model: answer.model, content: { type: 'text', text: answer.output_text },
      stopReason: answer.incomplete_details?.reason === 'max_output_tokens' ? 'maxTokens' : 'endTurn',
    };
  },
});

try {
  const { tools, lost, offeredName } = toolsFor(await host.tools());
  for (const { tool, path, why } of lost) console.error(visible(`${tool} ${path}: ${why}`));
  const call = async (name: string, json: string): Promise<Outcome> => {
    const offered = offeredName(name);
    if (offered === undefined) return new Error(`there is no tool ${name}`);
    // The arguments come from a model: they may be invalid JSON.
    return await (async () => await host.call(offered, JSON.parse(json) as Record<string, unknown>))().catch((error: Error) => error);
  };
  const input: ResponseInput = [{ role: 'user', content: request }];
  let done = false;
  for (let turn = 0, tokens = 0; !done && turn < budget.turns && tokens < budget.tokens; turn++) {
    const { output, output_text: text, usage } = await openai.responses.create({ model, store: false, include: ['reasoning.encrypted_content'], max_output_tokens: 2_000, tools, input });
    tokens += usage?.total_tokens ?? 0;
    for (const item of output) if (item.type === 'message' || item.type === 'reasoning' || item.type === 'function_call') input.push(item);
    if (text !== '') console.log(visible(text));
    const calls = output.filter((item) => item.type === 'function_call');
    for (const { call_id: id, name, arguments: json } of calls) input.push(resultFor(id, await call(name, json)));
    done = calls.length === 0;
  }
  if (!done) throw new Error('the budget of this request is spent');
} finally {
  await host.close();
}
