// barewire, as in its README, with the three tools of every program here.
import { McpServer } from 'barewire/server';
import { connectTools } from './node-tools.mjs';

const string = (name) => ({ type: 'object', properties: { [name]: { type: 'string' } }, required: [name] });

export async function build() {
  const tools = await connectTools();
  const server = new McpServer({ name: 'barewire', version: '1.0.0' });
  server.tool('echo', { description: 'Returns its text', input: string('text') }, ({ text }) => text);
  server.tool('cart', { description: "What is in a user's cart", input: string('user') }, ({ user }) => tools.cart(user));
  server.tool('product', { description: 'One product of the catalogue', input: string('id') }, ({ id }) => tools.product(id));
  return server;
}
