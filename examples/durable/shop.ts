// An order: a card is charged, the buyer is asked where to send it, and the parcel goes out. Written once: as a plain call it
// returns the result, as a task it survives the death of any process.
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { McpServer } from 'barewire/server';

/** The outside world: a bank and a carrier that act only once for each key. */
export async function world(folder: string, what: string, key: string): Promise<string> {
  const book = join(folder, 'world.txt');
  const known = await readFile(book, 'utf8').catch(() => '');
  if (!known.includes(key)) await appendFile(book, `${what} ${key}\n`);
  console.log(`${what}${known.includes(key) ? ', which the world knew already' : ''}`);
  // Its answer is slow: the first worker is killed before it records the answer.
  if (!known.includes(key)) await pause(30_000);
  return `${what} as ${key.slice(0, 6)}`;
}

export function createShop(folder: string): McpServer {
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  server.tool('order', {
    description: 'Orders a lamp',
    task: 'required',
    input: { type: 'object', properties: { lamp: { type: 'string' } }, required: ['lamp'] },
  }, async ({ lamp }, ctx) => {
    ctx.status('Charging the card');
    const charge = await ctx.once('charge', ({ idempotencyKey }) => world(folder, 'charged', idempotencyKey));
    const form = await ctx.elicit(`Where shall the ${lamp} go?`, { city: { type: 'string' } }, { key: 'city' });
    if (form.action !== 'accept') return `Nothing sent; ${charge}.`;
    ctx.status(`On its way to ${form.content.city}`);
    const parcel = await ctx.once('ship', ({ idempotencyKey }) => world(folder, 'shipped', idempotencyKey));
    return `${lamp} to ${form.content.city}: ${charge}, ${parcel}.`;
  });
  return server;
}
