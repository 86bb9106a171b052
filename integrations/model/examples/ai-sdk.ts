// The same as anthropic.ts with the AI SDK, which runs the loop. Any of its providers works; here it is Anthropic's.
//
//   node dist/examples/ai-sdk.js "Book a seat" node server.mjs         ANTHROPIC_API_KEY, MODEL; MODEL_URL changes the address
import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText, stepCountIs } from 'ai';
import { visible } from 'barewire/explain';
import { Host } from 'barewire/host';
import { openServer } from 'barewire/host/node';
import { toolsFor } from 'barewire-model/ai-sdk';
import { person } from './terminal.ts';

const budget = { turns: 10, tokens: 20_000, sampledTokens: 1_000 };
const [request = '', command = '', ...args] = process.argv.slice(2);
const baseURL = process.env['MODEL_URL'];
const model = createAnthropic({ ...baseURL !== undefined && { baseURL } })(process.env['MODEL'] ?? 'claude-sonnet-5-5');

const host = new Host({
  info: { name: 'model-example', version: '1.0.0' },
  servers: { demo: { command, args, maxSampledTokens: budget.sampledTokens } },
  transport: openServer,
  person,
  // Answers a server's request for text. Only text goes to the model.
  model: async ({ messages, systemPrompt, maxTokens }) => {
    const { text, response, finishReason } = await generateText({
      model, maxOutputTokens: maxTokens, ...systemPrompt !== undefined && { system: systemPrompt },
      messages: messages.map(({ role, content }) => ({
        role, content: [content].flat().map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n'),
      })),
    });
    return { role: 'assistant', model: response.modelId, content: { type: 'text', text }, stopReason: finishReason === 'length' ? 'maxTokens' : 'endTurn' };
  },
});

try {
  const { tools, lost } = toolsFor(await host.tools(), (name, args, options) => host.call(name, args, options));
  for (const { tool, path, why } of lost) console.error(visible(`${tool} ${path}: ${why}`));
  const { finishReason } = await generateText({
    model, tools, prompt: request, maxOutputTokens: 2_000,
    stopWhen: [stepCountIs(budget.turns), ({ steps }) => steps.reduce((sum, { usage }) => sum + (usage.totalTokens ?? 0), 0) >= budget.tokens],
    onStepFinish: ({ text }) => { if (text !== '') console.log(visible(text)); },
  });
  if (finishReason === 'tool-calls') throw new Error('the budget of this request is spent');
} finally {
  await host.close();
}
