import { compile } from '../../../src/schema/full/index.ts';
import { McpServer, ToolError } from '../../../src/server/index.ts';
import type { ServerOptions } from '../../../src/server/index.ts';
import type { TasksOptions } from '../../../src/tasks/index.ts';
import { pause, png, wav } from './media.ts';
import { addQuestions } from './questions.ts';
import { addTasks } from './tasks.ts';

/**
 * The server for the official conformance suite, whose scenarios call these tools, resources and prompts by name. Each call makes
 * a new server.
 */
export function everything(options: ServerOptions = {}, taskOptions: TasksOptions = {}): McpServer {
  const server = new McpServer({ name: 'barewire-everything', title: 'Everything', version: '0.1.0' }, {
    instructions: 'The fixture of the conformance suite. Nothing here is of use to a person.',
    // The suite's schemas have keywords that the small dialect lacks.
    validator: compile,
    ...options,
  });
  addContentTools(server);
  addRunningTools(server);
  addSchemaTools(server);
  addQuestions(server);
  addResources(server);
  addPrompts(server);
  addChanges(server);
  addTasks(server, taskOptions);
  return server;
}

/** One tool for each kind of content. */
function addContentTools(server: McpServer): void {
  server.tool('test_simple_text', { description: 'Returns text' }, () => 'This is a simple text response for testing.');

  server.tool('test_image_content', { description: 'Returns an image' }, () => (
    { type: 'image', data: png, mimeType: 'image/png' }));

  server.tool('test_audio_content', { description: 'Returns audio' }, () => (
    { type: 'audio', data: wav, mimeType: 'audio/wav' }));

  server.tool('test_embedded_resource', { description: 'Returns a resource' }, () => ({
    type: 'resource',
    resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource content.' },
  }));

  server.tool('test_multiple_content_types', { description: 'Returns a text, an image and a resource' }, () => [
    { type: 'text', text: 'Multiple content types test:' },
    { type: 'image', data: png, mimeType: 'image/png' },
    {
      type: 'resource',
      resource: {
        uri: 'test://mixed-content-resource',
        mimeType: 'application/json',
        text: JSON.stringify({ test: 'data', value: 123 }),
      },
    },
  ]);

  server.tool('test_error_handling', { description: 'Always fails' }, () => {
    throw new ToolError('This tool intentionally returns an error for testing');
  });
}

/** Tools that send messages before their result. */
function addRunningTools(server: McpServer): void {
  server.tool('test_tool_with_logging', { description: 'Logs three messages' }, async (_args, ctx) => {
    ctx.log('info', 'Tool execution started');
    await pause(50);
    ctx.log('info', 'Tool processing data');
    await pause(50);
    ctx.log('info', 'Tool execution completed');
    return 'Logged three messages.';
  });

  server.tool('test_logging_tool', { description: 'Logs at every level' }, (_args, ctx) => {
    for (const level of ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const) {
      ctx.log(level, `A message of level ${level}`, 'everything');
    }
    return 'Logged one message for each level.';
  });

  server.tool('test_tool_with_progress', { description: 'Reports progress three times' }, async (_args, ctx) => {
    ctx.progress(0, 100);
    await pause(50);
    ctx.progress(50, 100);
    await pause(50);
    ctx.progress(100, 100);
    return 'Reported progress three times.';
  });

  server.tool('test_reconnection', { description: 'Closes its stream and goes on' }, async (_args, ctx) => {
    ctx.closeStream();
    await pause(100);
    return 'Reconnection test completed successfully.';
  });
}

/** Tools that exist for their schemas. */
function addSchemaTools(server: McpServer): void {
  server.tool('json_schema_2020_12_tool', {
    description: 'Tool with JSON Schema 2020-12 features',
    input: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
  }, (args) => `Received ${JSON.stringify(args)}`);

  server.tool('test_custom_header', {
    description: 'Takes an argument that an HTTP header mirrors',
    input: {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
      required: ['region'],
    },
  }, ({ region }) => `The region is ${region}.`);
}

function addResources(server: McpServer): void {
  server.resource('test://static-text', {
    name: 'static-text',
    description: 'A text that never changes',
    mimeType: 'text/plain',
  }, () => 'This is the content of the static text resource.');

  server.resource('test://static-binary', {
    name: 'static-binary',
    description: 'An image that never changes',
    mimeType: 'image/png',
  }, () => Uint8Array.from(atob(png), (character) => character.charCodeAt(0)));

  server.resource('test://watched-resource', {
    name: 'watched-resource',
    description: 'A text that clients subscribe to',
    mimeType: 'text/plain',
  }, () => 'Watched resource content.');

  server.resourceTemplate('test://template/{id}/data', {
    name: 'template',
    description: 'Data for any id',
    mimeType: 'application/json',
  }, ({ id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }));
}

function addPrompts(server: McpServer): void {
  server.prompt('test_simple_prompt', { description: 'A prompt without arguments' }, () =>
    'This is a simple prompt for testing.');

  const places = ['paris', 'park', 'party', 'testament', 'tests'];
  server.prompt('test_prompt_with_arguments', {
    description: 'A prompt with two arguments',
    arguments: {
      arg1: {
        description: 'First test argument',
        required: true,
        complete: (value) => places.filter((place) => place.startsWith(value)),
      },
      arg2: { description: 'Second test argument', required: true },
    },
  }, ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`);

  server.prompt('test_prompt_with_embedded_resource', {
    description: 'A prompt that carries a resource',
    arguments: { resourceUri: { description: 'URI of the resource', required: true } },
  }, ({ resourceUri }) => [
    {
      role: 'user',
      content: {
        type: 'resource',
        resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
      },
    },
    { role: 'user', content: { type: 'text', text: 'Please process the embedded resource above.' } },
  ]);

  server.prompt('test_prompt_with_image', { description: 'A prompt that carries an image' }, () => [
    { role: 'user', content: { type: 'image', data: png, mimeType: 'image/png' } },
    { role: 'user', content: { type: 'text', text: 'Please analyze the image above.' } },
  ]);
}

/** Tools that change the server's lists, so that clients are notified. */
function addChanges(server: McpServer): void {
  let changes = 0;
  const tool = server.tool('test_changing_tool', { description: 'Its description changes' }, () => 'No change.');
  const prompt = server.prompt('test_changing_prompt', { description: 'Its description changes' }, () => 'No change.');

  server.tool('test_trigger_tool_change', { description: 'Changes the list of tools' }, () => {
    tool.update({ description: `Its description has changed ${++changes} times` });
    return 'The list of tools has changed.';
  });

  server.tool('test_trigger_prompt_change', { description: 'Changes the list of prompts' }, () => {
    prompt.update({ description: `Its description has changed ${++changes} times` });
    return 'The list of prompts has changed.';
  });
}
