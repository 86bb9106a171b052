// A server over stdio whose schemas are Valibot's: node valibot.mjs
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { McpServer } from 'barewire/server';
import { serveStdio } from 'barewire/stdio';
import * as v from 'valibot';

const server = new McpServer({ name: 'valibot', version: '1.0.0' });
server.tool('plan', {
  description: 'Plans a trip',
  input: toStandardJsonSchema(v.object({
    city: v.pipe(v.string(), v.minLength(2)),
    days: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
  })),
  output: toStandardJsonSchema(v.object({ plan: v.array(v.string()) })),
}, ({ city, days }) => ({ plan: Array.from({ length: days }, (_, day) => `day ${day + 1} in ${city}`) }));
serveStdio(server);
