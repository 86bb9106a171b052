import type { McpServer } from '../../../src/server/index.ts';

/** Tools and a prompt that ask the client. The same handlers serve both eras. */
export function addQuestions(server: McpServer): void {
  addSampling(server);
  addForms(server);
  addRounds(server);
}

const question = (text: string, maxTokens: number) => ({
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
  maxTokens,
});

/** A model's content as text. */
function words(content: unknown): string {
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  return blocks.map((block) =>
    typeof block === 'object' && block !== null && 'text' in block ? String(block.text) : '').join('');
}

function addSampling(server: McpServer): void {
  server.tool('test_sampling', {
    description: 'Asks the client\'s model',
    input: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
  }, async ({ prompt }, ctx) => `LLM response: ${words((await ctx.sample(question(prompt, 100))).content)}`);

  server.tool('test_missing_capability', { description: 'Needs the client\'s model' }, async (_args, ctx) =>
    `LLM response: ${words((await ctx.sample(question('Say hello.', 20))).content)}`);
}

function addForms(server: McpServer): void {
  server.tool('test_elicitation', {
    description: 'Asks the user for a name and an address',
    input: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  }, async ({ message }, ctx) => {
    const form = await ctx.elicit(message, {
      username: { type: 'string', description: 'User\'s response' },
      email: { type: 'string', description: 'User\'s email address' },
    });
    return `User response: action=${form.action}, content=${JSON.stringify(form.content ?? {})}`;
  });

  server.tool('test_elicitation_sep1034_defaults', { description: 'Asks with a default of each type' }, async (_args, ctx) => {
    const form = await ctx.elicit('Please check these values.', {
      name: { type: 'string', description: 'User name', default: 'John Doe' },
      age: { type: 'integer', description: 'User age', default: 30 },
      score: { type: 'number', description: 'User score', default: 95.5 },
      status: { type: 'string', description: 'User status', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', description: 'Whether the user is verified', default: true },
    });
    return `Elicitation completed: action=${form.action}, content=${JSON.stringify(form.content ?? {})}`;
  });

  server.tool('test_elicitation_sep1330_enums', { description: 'Asks with each kind of choice' }, async (_args, ctx) => {
    const form = await ctx.elicit('Please choose.', {
      untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
      titledSingle: {
        type: 'string',
        oneOf: [
          { const: 'value1', title: 'First Option' },
          { const: 'value2', title: 'Second Option' },
          { const: 'value3', title: 'Third Option' },
        ],
      },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
      titledMulti: {
        type: 'array',
        items: {
          anyOf: [
            { const: 'value1', title: 'First Choice' },
            { const: 'value2', title: 'Second Choice' },
            { const: 'value3', title: 'Third Choice' },
          ],
        },
      },
    });
    return `Elicitation completed: action=${form.action}, content=${JSON.stringify(form.content ?? {})}`;
  });

  server.tool('test_streaming_elicitation', { description: 'Asks for a confirmation while its stream is open' }, async (_args, ctx) => {
    const form = await ctx.elicit('Please confirm.', { ok: { type: 'boolean' } }, { key: 'confirm' });
    return `Answered with ${form.action}.`;
  });
}

const nameForm = { name: { type: 'string' } } as const;

/** The tools for the scenarios of input_required; the suite defines the keys. */
function addRounds(server: McpServer): void {
  server.tool('test_input_required_result_elicitation', { description: 'Asks for a name' }, async (_args, ctx) => {
    const form = await ctx.elicit('What is your name?', nameForm, { key: 'user_name' });
    return form.action === 'accept' ? `Hello, ${form.content.name}!` : 'Hello, whoever you are!';
  });

  server.tool('test_input_required_result_sampling', { description: 'Asks the model for a capital' }, async (_args, ctx) => {
    const { content } = await ctx.sample(question('What is the capital of France?', 100), { key: 'capital_question' });
    return `The model says: ${words(content)}`;
  });

  server.tool('test_input_required_result_list_roots', { description: 'Asks for the roots' }, async (_args, ctx) => {
    const roots = await ctx.roots({ key: 'client_roots' });
    return `Roots: ${roots.map(({ uri }) => uri).join(', ')}`;
  });

  server.tool('test_input_required_result_request_state', { description: 'Asks for a confirmation' }, async (_args, ctx) => {
    const begun = await ctx.once('begun', () => 'state-ok');
    const form = await ctx.elicit('Please confirm', { ok: { type: 'boolean' } }, { key: 'confirm' });
    return `${begun}: ${form.action}`;
  });

  server.tool('test_input_required_result_multiple_inputs', { description: 'Asks three things at once' }, async (_args, ctx) => {
    const [form, { content }, roots] = await Promise.all([
      ctx.elicit('What is your name?', nameForm, { key: 'user_name' }),
      ctx.sample(question('Generate a greeting', 50), { key: 'greeting' }),
      ctx.roots({ key: 'client_roots' }),
    ]);
    const name = form.action === 'accept' ? form.content.name : 'nobody';
    return `${words(content)} ${name}, from ${roots.map(({ uri }) => uri).join(', ')}`;
  });

  server.tool('test_input_required_result_multi_round', { description: 'Asks twice, one after the other' }, async (_args, ctx) => {
    const first = await ctx.elicit('Step 1: What is your name?', nameForm, { key: 'step1' });
    if (first.action !== 'accept') return 'No name was given.';
    const second = await ctx.elicit('Step 2: What is your favorite color?', { color: { type: 'string' } }, { key: 'step2' });
    if (second.action !== 'accept') return 'No colour was given.';
    return `${first.content.name} likes ${second.content.color}.`;
  });

  server.tool('test_input_required_result_tampered_state', { description: 'Asks with a state that is sealed' }, async (_args, ctx) => {
    const form = await ctx.elicit('Please confirm', { ok: { type: 'boolean' } }, { key: 'confirm' });
    return `Answered with ${form.action}.`;
  });

  server.tool('test_input_required_result_capabilities', { description: 'Asks what the client can answer' }, async (_args, ctx) => {
    const { elicitation, sampling } = ctx.capabilities;
    const [form, message] = await Promise.all([
      elicitation && ctx.elicit('What is your name?', nameForm, { key: 'user_name' }),
      sampling && ctx.sample(question('Generate a greeting', 50), { key: 'greeting' }),
    ]);
    return `Form: ${form?.action ?? 'not asked'}. Model: ${message ? words(message.content) : 'not asked'}.`;
  });

  server.prompt('test_input_required_result_prompt', { description: 'A prompt that asks for its context' }, async (_args, ctx) => {
    const form = await ctx.elicit('What context should the prompt use?', { context: { type: 'string' } }, { key: 'user_context' });
    return `Use this context: ${form.action === 'accept' ? form.content.context : 'none'}`;
  });
}
