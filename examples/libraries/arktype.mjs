// A server over stdio whose schemas are ArkType's: node arktype.mjs
import { type } from 'arktype';
import { McpServer } from 'barewire/server';
import { serveStdio } from 'barewire/stdio';

const server = new McpServer({ name: 'arktype', version: '1.0.0' });
server.tool('plan', {
  description: 'Plans a trip',
  input: type({ 'city': 'string >= 2', 'days?': 'number.integer >= 1' }),
  output: type({ plan: 'string[]' }),
}, ({ city, days = 1 }) => ({ plan: Array.from({ length: days }, (_, day) => `day ${day + 1} in ${city}`) }));
serveStdio(server);
