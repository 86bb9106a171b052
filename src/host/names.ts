import { sha256 } from '../skills/digest.ts';

/** The largest number of characters that the APIs of common models accept for a tool's name. */
const maxLength = 64;

/** Characters of the hash: 62 bits, too many to find a collision by trying. */
const hashLength = 12;

/**
 * The name of a tool over all servers. It depends only on the server's name and the tool's, so that a name that a
 * model knows never means another tool. It is `server__tool` if that fits, is plain and can be split in only
 * one way (the server's name has no `__` and does not end with `_`); else both in plain characters, with a hash of
 * the two and without `__`.
 */
export async function catalogueName(server: string, tool: string): Promise<string> {
  const name = `${server}__${tool}`;
  if (name.length <= maxLength && /^[A-Za-z0-9_-]+$/.test(name) && tool !== '' && server !== '' && !server.includes('__') && !server.endsWith('_')) return name;
  const digest = await sha256(JSON.stringify([server, tool]));
  const hash = BigInt(`0x${digest.slice(0, 16)}`).toString(36).padStart(hashLength, '0').slice(-hashLength);
  // Runs of other characters become one `_`, so that the name has no `__`.
  const plain = `${server.slice(0, maxLength)}_${tool.slice(0, maxLength)}`.replace(/[^A-Za-z0-9-]+/g, '_').slice(0, maxLength - hashLength - 1);
  return `${plain.endsWith('_') ? plain.slice(0, -1) : plain}_${hash}`;
}
