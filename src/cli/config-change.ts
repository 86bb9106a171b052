import { lstat, mkdir, readFile, realpath } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import { visible } from '../explain/safe-text.ts';
import { linesTo } from '../host/node/lines.ts';
import { editJson } from '../host/node/json-edit.ts';
import { openPrompter } from '../host/node/prompter.ts';
import { withoutComments } from '../host/node/json-with-comments.ts';
import { replaceFile } from '../host/node/replace-file.ts';
import { errorMessage, isObject } from '../jsonrpc/internal-exports.ts';
import { redactText } from '../transport/internal-exports.ts';
import type { CommandProcess } from './command-process.ts';
import { exitCodes, Refused, WrongUse } from './exit-codes.ts';

/** A change of a file of servers. */
export interface ConfigChange {
  readonly file: string;
  /** For a folder's file: the folder that the file's real path must be in. */
  readonly within?: string | undefined;
  readonly member: 'mcpServers' | 'servers';
  /** Entries by server name; undefined removes the server. */
  readonly entries: ReadonlyMap<string, unknown>;
}

/** The most bytes of a file to change. Hosts may keep other state in the same file. */
const maxBytes = 16 * 1024 * 1024;

/**
 * Shows the change as a difference, without the values of `env` and `headers`, asks for consent, and writes the whole
 * file. Everything else in the file stays unchanged. Resolves with the exit code; rejects with `Refused` without consent.
 */
export async function changeConfig(proc: CommandProcess, change: ConfigChange, yes: boolean): Promise<number> {
  const found = await locate(change);
  const before = found.text ?? '{}\n';
  const present = entriesOf(change.file, before, change.member);
  let after = before;
  const lines: string[] = [];
  for (const [name, entry] of change.entries) {
    after = edited(change, after, name, entry);
    const old = present.get(name);
    if (old !== undefined) lines.push(...shown(name, old).map((line) => `- ${line}`));
    if (entry !== undefined) lines.push(...shown(name, entry).map((line) => `+ ${line}`));
  }
  const write = linesTo(proc.stderr);
  if (after === before) {
    const added = [...change.entries.values()].some((entry) => entry !== undefined);
    write(`${visible(change.file)} ${added ? 'has this entry already' : `has no server ${visible([...change.entries.keys()].join(', '))}`}.`);
    return exitCodes.good;
  }
  write(`${visible(change.file)}${found.text === undefined ? ', which does not exist yet' : ''}:`);
  lines.forEach(write);
  if (!yes && !await consented(proc)) throw new Refused(proc.stdin.isTTY === true ? 'nothing was written' : 'nothing was written: --yes consents to it');
  await replace(change.file, found, after);
  write('Written.');
  return exitCodes.good;
}

async function consented({ stdin, stderr }: CommandProcess): Promise<boolean> {
  if (stdin.isTTY !== true || stderr.isTTY !== true) return false;
  const prompter = openPrompter(stdin, stderr);
  try {
    return /^\s*y(?:es)?\s*$/i.test(await prompter.ask('Write it? [y/N] ') ?? '');
  } finally {
    prompter.close();
  }
}

/** The file, with links resolved. */
interface Located {
  readonly path: string;
  /** Undefined: the file does not exist. */
  readonly text: string | undefined;
  readonly mode: number;
}

async function locate({ file, within }: ConfigChange): Promise<Located> {
  const status = await lstat(file).catch(() => undefined);
  if (within !== undefined && await leadsOut(file, within)) throw new WrongUse(`${file} leads out of the folder`);
  if (!status) return { path: file, text: undefined, mode: 0o600 };
  if (within !== undefined && !status.isFile()) throw new WrongUse(`${file} is not a regular file`);
  const path = await realpath(file);
  const { size, mode } = await lstat(path);
  if (size > maxBytes) throw new WrongUse(`${file} has more than ${maxBytes} bytes`);
  return { path, text: await readFile(path, 'utf8'), mode: mode & 0o777 };
}

/** Whether a link puts the folder of `file` outside of `within`. */
async function leadsOut(file: string, within: string): Promise<boolean> {
  const folder = await realpath(dirname(file)).catch(() => undefined);
  const own = await realpath(within);
  return folder !== undefined && folder !== own && !folder.startsWith(`${own}${sep}`);
}

function entriesOf(file: string, text: string, member: string): ReadonlyMap<string, unknown> {
  try {
    const value: unknown = JSON.parse(withoutComments(text));
    const entries = isObject(value) ? value[member] : undefined;
    return new Map(isObject(entries) ? Object.entries(entries) : []);
  } catch (thrown) {
    throw new WrongUse(`${file}: ${errorMessage(thrown)}`);
  }
}

function edited({ file, member }: ConfigChange, text: string, name: string, entry: unknown): string {
  try {
    return editJson(text, [member, name], entry);
  } catch (thrown) {
    throw new WrongUse(`${file}: ${errorMessage(thrown)}`);
  }
}

/** An entry as lines, without possible secrets: the values of `env` and `headers`, and words that look like keys. */
function shown(name: string, entry: unknown): string[] {
  const hidden = (value: unknown): unknown => {
    if (typeof value !== 'string') return isObject(value) || Array.isArray(value) ? '[…]' : value;
    return /^\$\{[\w:]+\}$/.test(value) ? value : `[${value.length} characters]`;
  };
  const safe = isObject(entry) ? Object.fromEntries(Object.entries(entry).map(([key, value]) => [
    key, (key === 'env' || key === 'headers') && isObject(value) ? Object.fromEntries(Object.entries(value).map(([one, text]) => [one, hidden(text)])) : redacted(value),
  ])) : redacted(entry);
  return `${JSON.stringify(name)}: ${JSON.stringify(safe, undefined, 2)}`.split('\n').map(visible);
}

function redacted(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value);
  return Array.isArray(value) ? value.map((one) => (typeof one === 'string' ? redactText(one) : one)) : value;
}

/** Replaces the file atomically, unless it changed since it was read. */
async function replace(file: string, { path, text, mode }: Located, after: string): Promise<void> {
  if (await readFile(path, 'utf8').catch(() => undefined) !== text) throw new WrongUse(`${file} has changed meanwhile; nothing was written`);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, after, mode);
}
