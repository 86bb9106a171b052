import { createHash, randomBytes } from 'node:crypto';

// All names that the store makes. It reads, changes and deletes nothing else.

const idPattern = /^[a-z0-9-]{1,100}$/;

/** Whether a text may be the id of a task. Ids come from the wire, and name folders. */
export const isId = (id: string): boolean => idPattern.test(id);

/** The file that says that a folder is a store's. */
export const markName = '.barewire-tasks';

/** The name beside the segment of the end: whoever looks for work need not read more. It may be missing. */
export const endedName = 'ended';

/** The name of a segment. */
export const segmentName = (number: number): string => `${String(number).padStart(8, '0')}.log`;

/** The number of a segment; undefined for the names of other files. */
export function segmentNumber(name: string): number | undefined {
  const match = /^(\d{8,15})\.log$/.exec(name);
  return match ? Number(match[1]) : undefined;
}

/** The name of the file of an answer: keys are any text, and some file systems ignore case. */
export const answerName = (key: string): string =>
  `answer-${createHash('sha256').update(key).digest('hex').slice(0, 40)}`;

export const isAnswer = (name: string): boolean => /^answer-[0-9a-f]{40}$/.test(name);

const random = (): string => randomBytes(8).toString('hex');

/** A new name in the folder of a task, for a file that is not whole yet. */
export const unfinishedName = (): string => `.${random()}`;

/** A new name in the folder of the store, for what is about to get its own name. */
export const newName = (): string => `.new-${random()}`;

/** A new name in the folder of the store, for a task that is being deleted. */
export const goneName = (): string => `.gone-${random()}`;

/** Whether a name is one of `newName`. */
export const isNew = (name: string): boolean => /^\.new-[0-9a-f]{16}$/.test(name);

/** Whether a name is one of `goneName`. Earlier versions added the id of the task instead, of 40 digits. */
export const isGone = (name: string): boolean => /^\.gone-(?:[0-9a-f]{16}|[0-9a-f]{40})$/.test(name);

/** Whether a file in the folder of a task is the store's. */
export const isTaskFile = (name: string): boolean =>
  segmentNumber(name) !== undefined || isAnswer(name) || name === endedName || /^\.[0-9a-f]{16}$/.test(name);
