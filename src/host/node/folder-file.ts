import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorMessage, isObject } from '../../jsonrpc/internal-exports.ts';
import { quote } from '../../bounds/quote.ts';
import { codeOf } from '../../oauth/node/file-lock.ts';
import { readServers, userMembers, variablesIn } from '../config.ts';
import type { ServerConfig, Variables } from '../config.ts';
import { sha256 } from '../../skills/digest.ts';
import { HostError } from '../errors.ts';
import { withoutComments } from './json-with-comments.ts';

/**
 * A file of servers that came with a folder, such as a repository's `.mcp.json`. Somebody else wrote it: it was read
 * and parsed, and nothing in it was expanded or started.
 */
export interface FolderFile {
  /** Its path, with links resolved. */
  readonly file: string;
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly digest: string;
  /** Its content, as JSON that a person can read; comments are left out. */
  readonly text: string;
  /** The names of its servers. */
  readonly names: readonly string[];
  /** The variables that its entries take from the environment. */
  readonly variables: readonly string[];
  /** `server: member` for each member that only the user's own files may set; it is left out. */
  readonly ignored: readonly string[];
  /** Its servers, with variables expanded. Call this after the file was accepted. */
  servers(variables: Variables): Record<string, ServerConfig>;
}

/** The largest size of such a file in bytes: a person has to read it. */
const maxBytes = 65_536;
const maxServers = 50;

/**
 * Reads a file of servers of a folder; undefined without such a file. Throws a `HostError` `bad-config` for anything but a regular file in
 * exactly that folder (a link, a pipe, a device), for more than 64 KiB or 50 servers, for names that could be mistaken for something else,
 * and for a malformed configuration.
 */
export async function readFolderFile(path: string): Promise<FolderFile | undefined> {
  const bad = (why: string, cause?: unknown): HostError => new HostError('bad-config', `${path}: ${why}`, { cause });
  const bytes = await bytesOf(path, bad);
  if (!bytes) return undefined;
  const file = await realpath(path);
  // The folder and the folders above it may be links; the file and a folder such as `.vscode` may not.
  const above = dirname(path);
  const home = basename(above).startsWith('.') && basename(above) !== '.' ? join(await realpath(dirname(above)), basename(above)) : await realpath(above);
  if (file !== join(home, basename(path))) throw bad('it is a link; a file of servers has to be in the folder itself');
  let value: unknown;
  try {
    value = JSON.parse(withoutComments(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
  } catch (thrown) {
    throw bad(errorMessage(thrown), thrown);
  }
  const entries = isObject(value) ? value['mcpServers'] ?? value['servers'] ?? {} : undefined;
  if (!isObject(entries)) throw bad('it has no servers object');
  const names = Object.keys(entries);
  if (names.length > maxServers) throw bad(`it has ${names.length} servers, and ${maxServers} are allowed`);
  const odd = names.find((name) => !/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/.test(name));
  if (odd !== undefined) throw bad(`the name ${quote(odd)} has other characters than letters, digits, blanks, ".", "_" and "-", or more than 64`);
  const digest = await sha256(bytes);
  return {
    file, digest, names, text: JSON.stringify(value, null, 2), variables: variablesIn(entries),
    ignored: names.flatMap((name) => userMembers.filter((member) => isObject(entries[name]) && Object.hasOwn(entries[name], member)).map((member) => `${name}: ${member}`)),
    servers(variables) {
      try {
        return readServers(value, variables, file);
      } catch (thrown) {
        throw bad(errorMessage(thrown), thrown);
      }
    },
  };
}

/**
 * The bytes of a regular file; undefined without such a file. Does not wait for a pipe, and reads no more than the
 * limit.
 */
async function bytesOf(path: string, bad: (why: string, cause?: unknown) => HostError): Promise<Uint8Array<ArrayBuffer> | undefined> {
  let handle;
  try {
    // Windows has neither flag.
    handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'ENOTDIR') return undefined;
    throw bad(codeOf(thrown) === 'ELOOP' ? 'it is a link; a file of servers has to be in the folder itself' : errorMessage(thrown), thrown);
  }
  try {
    if (!(await handle.stat()).isFile()) throw bad('it is not a regular file');
    const bytes = new Uint8Array(maxBytes + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length);
      length += bytesRead;
      if (length > maxBytes) throw bad(`it has more than ${maxBytes} bytes`);
      if (bytesRead === 0) return bytes.slice(0, length);
    }
  } finally {
    await handle.close();
  }
}
