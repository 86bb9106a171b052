// A server over stdio whose schemas are TypeBox's, which are plain JSON Schemas: node typebox.mjs
import { McpServer } from 'barewire/server';
import { serveStdio } from 'barewire/stdio';
import Type from 'typebox';

const server = new McpServer({ name: 'typebox', version: '1.0.0' });
server.tool('plan', {
  description: 'Plans a trip',
  input: Type.Object({ city: Type.String({ minLength: 2 }), days: Type.Optional(Type.Integer({ minimum: 1 })) }),
  output: Type.Object({ plan: Type.Array(Type.String()) }),
}, ({ city, days = 1 }) => ({ plan: Array.from({ length: days }, (_, day) => `day ${day + 1} in ${city}`) }));
serveStdio(server);
