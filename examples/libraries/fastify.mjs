// Fastify: node fastify.mjs [PORT]
import fastify from 'fastify';
import { httpListener } from 'barewire/http';
import { trips } from './trips.mjs';

const mcp = httpListener(trips());
const app = fastify();
app.get('/', () => 'Trips.');
app.all('/mcp', (request, reply) => {
  reply.hijack();                                            // the answer is not Fastify's to send
  mcp(request.raw, reply.raw, request.body);
});

console.log(`${await app.listen({ port: Number(process.argv[2] ?? 0), host: '127.0.0.1' })}/mcp`);
