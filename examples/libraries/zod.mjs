// A server over stdio whose schemas are Zod's: node zod.mjs
import { McpServer } from 'barewire/server';
import { serveStdio } from 'barewire/stdio';
import { z } from 'zod';

const server = new McpServer({ name: 'zod', version: '1.0.0' });
server.tool('plan', {
  description: 'Plans a trip',
  input: z.object({ city: z.string().min(2), days: z.number().int().min(1).default(1) }),
  output: z.object({ plan: z.array(z.string()) }),
}, ({ city, days }) => ({ plan: Array.from({ length: days }, (_, day) => `day ${day + 1} in ${city}`) }));
serveStdio(server);
