// The tools that leave the process, for every program of Node here: `cart` reads a hash of Redis with the `redis` client,
// `product` asks an HTTP service with undici, which Node's own fetch uses.
import { createClient } from 'redis';
import { request } from 'undici';

/** Connects to REDIS_URL and CATALOGUE_URL. */
export async function connectTools() {
  const catalogue = process.env.CATALOGUE_URL;
  const redis = await createClient({ url: process.env.REDIS_URL }).connect();
  return {
    cart: async (user) => JSON.stringify(await redis.hGetAll(`cart:${user}`)),
    async product(id) {
      const answer = await request(`${catalogue}/products/${id}`);
      if (answer.statusCode !== 200) throw new Error(`the catalogue answers ${answer.statusCode}`);
      return answer.body.text();
    },
  };
}
