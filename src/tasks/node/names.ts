import { createHash, randomBytes } from 'node:crypto';

// All file names of the store. It reads, changes and deletes no other files.

const idPattern = /^[a-z0-9-]{1,100}$/;

/** Whether a text may be the id of a task. Ids come from the wire, and become names of folders. */
export const isId = (id: string): boolean => idPattern.test(id);

/** The file that marks a folder as a store's. */
export const markName = '.barewire-tasks';

/** A second name for the segment of the end, so that a search for due tasks need not read it. It may be missing. */
export const endedName = 'ended';

/** The name of a segment. */
export const segmentName = (number: number): string => `${String(number).padStart(8, '0')}.log`;

/** The number of a segment; undefined for the names of other files. */
export function segmentNumber(name: string): number | undefined {
  const match = /^(\d{8,15})\.log$/.exec(name);
  return match ? Number(match[1]) : undefined;
}

/** The name of an answer's file. It is a hash, because a key is any text, and some file systems ignore case. */
export const answerName = (key: string): string =>
  `answer-${createHash('sha256').update(key).digest('hex').slice(0, 40)}`;

export const isAnswer = (name: string): boolean => /^answer-[0-9a-f]{40}$/.test(name);

const random = (): string => randomBytes(8).toString('hex');

/** A new name in the folder of a task, for an incomplete file. */
export const unfinishedName = (): string => `.${random()}`;

/** A new name in the folder of the store, for a file or folder that gets its own name later. */
export const newName = (): string => `.new-${random()}`;

/** A new name in the folder of the store, for a task that is being deleted. */
export const goneName = (): string => `.gone-${random()}`;

/** Whether a name is from `newName`. */
export const isNew = (name: string): boolean => /^\.new-[0-9a-f]{16}$/.test(name);

/** Whether a name is from `goneName`. Earlier versions used the id of the task instead, of 40 digits. */
export const isGone = (name: string): boolean => /^\.gone-(?:[0-9a-f]{16}|[0-9a-f]{40})$/.test(name);

/** Whether this is the name of a store's file in the folder of a task. */
export const isTaskFile = (name: string): boolean =>
  segmentNumber(name) !== undefined || isAnswer(name) || name === endedName || /^\.[0-9a-f]{16}$/.test(name);
