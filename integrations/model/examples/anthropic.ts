// A model with the tools of a server, in a terminal. Each call waits for your consent, the server's questions appear here, the
// server may ask the model for text (sampling), and turns and tokens are limited.
//
//   node dist/examples/anthropic.js "Book a seat" node server.mjs      ANTHROPIC_API_KEY, MODEL; ANTHROPIC_BASE_URL changes the address
import Anthropic from '@anthropic-ai/sdk';
import type { MessageParam, ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { visible } from 'barewire/explain';
import { Host } from 'barewire/host';
import { openServer } from 'barewire/host/node';
import { resultFor, toolsFor } from 'barewire-model/anthropic';
import type { Outcome } from 'barewire-model/anthropic';
import { person } from './terminal.ts';

const budget = { turns: 10, tokens: 20_000, sampledTokens: 1_000 };
const [request = '', command = '', ...args] = process.argv.slice(2);
const anthropic = new Anthropic();
const model = process.env['MODEL'] ?? 'claude-sonnet-5-5';

const host = new Host({
  info: { name: 'model-example', version: '1.0.0' },
  servers: { demo: { command, args, maxSampledTokens: budget.sampledTokens } },
  transport: openServer,
  person,
  // Answers a server's request for text. Only text goes to the model.
  model: async ({ messages, systemPrompt, maxTokens }) => {
    const answer = await anthropic.messages.create({
      model, max_tokens: maxTokens, ...systemPrompt !== undefined && { system: systemPrompt },
      messages: messages.map(({ role, content }) => ({
        role, content: [content].flat().map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n'),
      })),
    });
    const text = answer.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    return { role: 'assistant', model: answer.model, content: { type: 'text', text }, stopReason: answer.stop_reason === 'max_tokens' ? 'maxTokens' : 'endTurn' };
  },
});

try {
  const { tools, lost, offeredName } = toolsFor(await host.tools());
  for (const { tool, path, why } of lost) console.error(visible(`${tool} ${path}: ${why}`));
  const call = async (name: string, input: unknown): Promise<Outcome> => {
    const offered = offeredName(name);
    return offered === undefined ? new Error(`there is no tool ${name}`) : await host.call(offered, input as Record<string, unknown>).catch((error: Error) => error);
  };
  const messages: MessageParam[] = [{ role: 'user', content: request }];
  let done = false;
  for (let turn = 0, tokens = 0; !done && turn < budget.turns && tokens < budget.tokens; turn++) {
    const { content, usage } = await anthropic.messages.create({ model, max_tokens: 2_000, tools, messages });
    tokens += usage.input_tokens + usage.output_tokens;
    messages.push({ role: 'assistant', content });
    const results: ToolResultBlockParam[] = [];
    for (const block of content) {
      if (block.type === 'text') console.log(visible(block.text));
      if (block.type === 'tool_use') results.push(resultFor(block.id, await call(block.name, block.input)));
    }
    messages.push({ role: 'user', content: results });
    done = results.length === 0;
  }
  if (!done) throw new Error('the budget of this request is spent');
} finally {
  await host.close();
}
