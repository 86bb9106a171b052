/** The most characters that the interfaces of common models take for a tool's name. */
const maxLength = 64;

/** A part of a name, in the characters that common models take. */
function plain(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/^_+|_+$/g, '') || 'x';
}

/** Short, and different for different text: the FNV-1a hash in base 36. Names that meet by chance get a number besides. */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash.toString(36);
}

/**
 * Gives each (server, name) a name of its own over all servers: `server__name` where that fits, is plain and is free;
 * else one with a hash of the two, which does not depend on who came first.
 */
export function uniqueNames(pairs: readonly (readonly [server: string, name: string])[]): string[] {
  const wished = pairs.map(([server, name]) => `${plain(server)}__${plain(name)}`);
  const times = new Map<string, number>();
  for (const name of wished) times.set(name, (times.get(name) ?? 0) + 1);
  const taken = new Set<string>();
  return wished.map((wish, i) => {
    const [server, name] = pairs[i] as readonly [string, string];
    const exact = wish === `${server}__${name}`;
    let given = wish;
    if (wish.length > maxLength || ((times.get(wish) ?? 0) > 1 && !exact) || taken.has(wish)) {
      const tail = `_${shortHash(JSON.stringify([server, name]))}`;
      given = wish.slice(0, maxLength - tail.length) + tail;
    }
    for (let count = 2, base = given; taken.has(given); count++) {
      const tail = `_${count}`;
      given = base.slice(0, maxLength - tail.length) + tail;
    }
    taken.add(given);
    return given;
  });
}
