// Tools with schemas of other libraries, from the list to the result, in both eras.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Type as OldType } from '@sinclair/typebox';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import Type from 'typebox';
import * as v from 'valibot';
import { z } from 'zod';
import { McpClient } from '../../dist/src/client/index.js';
import { compile } from '../../dist/src/schema/full/index.js';
import { memoryTransport } from '../../dist/src/transport/memory.js';
import { McpServer } from '../../dist/src/server/index.js';

const libraries = {
  zod: {
    input: z.object({ city: z.string().min(2), days: z.number().int().optional() }),
    output: z.object({ plan: z.array(z.string()) }),
  },
  valibot: {
    input: toStandardJsonSchema(v.object({ city: v.pipe(v.string(), v.minLength(2)), days: v.optional(v.pipe(v.number(), v.integer())) })),
    output: toStandardJsonSchema(v.object({ plan: v.array(v.string()) })),
  },
  arktype: {
    input: type({ city: 'string >= 2', 'days?': 'number.integer' }),
    output: type({ plan: 'string[]' }),
  },
  typebox: {
    input: Type.Object({ city: Type.String({ minLength: 2 }), days: Type.Optional(Type.Integer()) }),
    output: Type.Object({ plan: Type.Array(Type.String()) }),
  },
  'typebox 0.34': {
    input: OldType.Object({ city: OldType.String({ minLength: 2 }), days: OldType.Optional(OldType.Integer()) }),
    output: OldType.Object({ plan: OldType.Array(OldType.String()) }),
  },
};

for (const [library, { input, output }] of Object.entries(libraries)) {
  const told = [];
  const server = new McpServer({ name: 'schemas', version: '1.0.0' }, { onError: ({ message }) => told.push(message) });
  server.tool('plan', { input, output }, ({ city, days = 1 }) => (
    { plan: Array.from({ length: days }, (_, day) => (city === 'Nowhere' ? day : `day ${day + 1} in ${city}`)) }));

  for (const era of ['legacy', 'modern']) {
    test(`${library}, ${era}`, async (t) => {
      const client = new McpClient({ name: 'schemas', version: '1.0.0' }, { era, validator: (schema) => compile(schema) });
      await client.connect(memoryTransport(server));
      t.after(() => client.close());

      const [tool] = await client.listTools();
      assert.equal(tool.inputSchema.type, 'object');
      assert.deepEqual(tool.inputSchema.required, ['city']);
      assert.equal(tool.inputSchema.properties.city.minLength, 2);
      assert.equal(tool.outputSchema.properties.plan.items.type, 'string');

      const { structuredContent, isError } = await client.callTool('plan', { city: 'Rome', days: 2 });
      assert.equal(isError, undefined);
      assert.deepEqual(structuredContent, { plan: ['day 1 in Rome', 'day 2 in Rome'] });

      // Every fault with its place, for the model.
      const wrong = await client.callTool('plan', { city: 'R', days: 'many' });
      assert.equal(wrong.isError, true);
      assert.match(wrong.content[0].text, /city/);
      assert.match(wrong.content[0].text, /days/);

      // A fault of the author: the caller reads only that the call failed, the author where.
      const failed = await client.callTool('plan', { city: 'Nowhere' });
      assert.equal(failed.isError, true);
      assert.match(failed.content[0].text, /^plan failed \(id /);
      assert.match(told.pop(), /structuredContent\/plan\/0/);
    });
  }
}

test('what a library makes of the arguments is what the handler gets', async (t) => {
  const server = new McpServer({ name: 'schemas', version: '1.0.0' });
  const input = z.object({ limit: z.number().default(10), when: z.string().transform((text) => text.length) });
  server.tool('count', { input }, ({ limit, when }) => `${limit} ${when}`);
  const client = new McpClient({ name: 'schemas', version: '1.0.0' });
  await client.connect(memoryTransport(server));
  t.after(() => client.close());
  assert.equal((await client.callTool('count', { when: 'now' })).content[0].text, '10 3');
});
