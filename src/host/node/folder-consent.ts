import { isObject } from '../../jsonrpc/internal-exports.ts';
import { HostError } from '../errors.ts';
import { updateValue } from '../store.ts';
import type { HostStore } from '../store.ts';
import type { FolderFile } from './folder-file.ts';
import { columnsFor, framed, rowsOf } from './frame.ts';
import { linesTo } from './lines.ts';
import { openPrompter } from './prompter.ts';
import { style, wantsColour } from './style.ts';
import type { TerminalStreams } from './terminal-answers.ts';

/** The store's key for accepted files: their digests by their paths. */
const key = 'folder-files';

/** The folders' files that this user has accepted, each by its path and the digest of its bytes. */
export interface AcceptedFiles {
  /** Whether the user accepted exactly this file, other content at this path, or nothing. */
  state(file: FolderFile): Promise<'accepted' | 'changed' | 'new'>;
  /** Accepts exactly this file: its path and its digest. */
  accept(file: FolderFile): Promise<void>;
  /** Revokes the acceptance. False: the file was not accepted. */
  forget(path: string): Promise<boolean>;
}

/** Keeps acceptances in the store of the host. */
export function acceptedFiles(store: HostStore): AcceptedFiles {
  const entries = (kept: unknown): Map<string, unknown> => new Map(Object.entries(isObject(kept) ? kept : {}));
  return {
    async state({ file, digest }) {
      const kept = entries(await store.get(key)).get(file);
      return kept === digest ? 'accepted' : kept === undefined ? 'new' : 'changed';
    },
    accept: ({ file, digest }) => updateValue(store, key, (kept) => Object.fromEntries(entries(kept).set(file, digest))),
    async forget(path) {
      if (!entries(await store.get(key)).has(path)) return false;
      await updateValue(store, key, (kept) => Object.fromEntries([...entries(kept)].filter(([file]) => file !== path)));
      return true;
    },
  };
}

/** The largest number of rows of a file that a person is shown: a longer file cannot be accepted. */
const maxRows = 1_000;

/**
 * A folder's file as lines for a person: whole, in a frame, with the variables that it takes and the members that are
 * left out. Throws a `HostError` `bad-config` if it is too long to show.
 */
export function folderFileLines(file: FolderFile, state: 'changed' | 'new' | 'accepted', columns: number): string[] {
  const { used } = rowsOf(file.text, columns - 3, maxRows);
  if (used < file.text.length) throw new HostError('bad-config', `${file.file}: it takes more than ${maxRows} lines, too many to show`);
  return [
    state === 'changed' ? `A file of servers of this folder has changed since you accepted it: ${file.file}`
      : state === 'accepted' ? `A file of servers of this folder, which you accepted: ${file.file}`
        : `This folder has a file of servers that is not yours: ${file.file}`,
    ...framed(file.text, { columns, rows: maxRows }),
    ...file.variables.length > 0 ? [`Taken from your environment: ${file.variables.join(', ')}`] : [],
    ...file.ignored.length > 0 ? [`Left out, since only your own files may set it: ${file.ignored.join(', ')}`] : [],
    `Its programs and addresses are used once you accept it, until the file changes. SHA-256: ${file.digest}`,
  ];
}

/** The command that accepts a file if no terminal can ask. */
export const acceptCommand = ({ file, digest }: FolderFile): string => `barewire accept --digest ${digest} ${quoted(file)}`;

const quoted = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`);

/**
 * Asks at the terminal whether a folder's file may be used, unless it was accepted before. For
 * `ConfigReading.accept`. Without a terminal it rejects with a `HostError` `not-accepted`, whose message names the
 * command that accepts it.
 */
export function folderConsent(store: HostStore, { input, output }: TerminalStreams = { input: process.stdin, output: process.stderr }): (file: FolderFile) => Promise<boolean> {
  const accepted = acceptedFiles(store);
  return async (file) => {
    const state = await accepted.state(file);
    if (state === 'accepted') return true;
    if (!('isTTY' in input && input.isTTY === true && output.isTTY === true)) {
      throw new HostError('not-accepted', `${file.file} ${state === 'changed' ? 'has changed since it was accepted' : 'came with this folder, and was not accepted'}; look at it, and accept it with: ${acceptCommand(file)}`);
    }
    const { yellow } = style(wantsColour(process.env, true));
    const [head = '', ...lines] = folderFileLines(file, state, columnsFor(output));
    const say = linesTo(output);
    say(yellow(head));
    lines.forEach(say);
    const prompter = openPrompter(input, output);
    try {
      const answer = await prompter.ask('Accept it? [y/N] ');
      if (!/^\s*y(?:es)?\s*$/i.test(answer ?? '')) return false;
    } finally {
      prompter.close();
    }
    await accepted.accept(file);
    return true;
  };
}
