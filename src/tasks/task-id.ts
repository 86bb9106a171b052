import { invalidParams } from '../jsonrpc/internal-exports.ts';
import type { RpcError } from '../jsonrpc/index.ts';

/** The random bytes of an id. */
const idBytes = 20;

/**
 * A new task's id, which the receiver makes: unique, and with enough entropy to prevent guessing. 2025-11-25
 * basic/utilities/tasks#task-isolation-and-access-control; ext-tasks, Security Considerations.
 */
export const newTaskId = (): string => random(idBytes);

/** The error `-32602` for a `taskId` that is not a string. */
export const malformedTaskId = (): RpcError => invalidParams('taskId must be a string');

/** The error `-32602` for an id that is not that of a task of the caller. */
export const unknownTask = (): RpcError => invalidParams('taskId: unknown task; it may have expired');

const digits = '0123456789abcdef';
/** Unused random bytes: many small calls of `getRandomValues` cost more than one large call. */
let pool: Uint8Array | undefined;
let used = 0;

/** Returns random bytes in hexadecimal; at most 64. */
export function random(bytes: number): string {
  if (!pool || used + bytes > pool.length) {
    pool = crypto.getRandomValues(new Uint8Array(1024));
    used = 0;
  }
  let text = '';
  for (const end = used + bytes; used < end; used++) {
    const byte = pool[used] as number;
    text += digits.charAt(byte >> 4) + digits.charAt(byte & 15);
  }
  return text;
}
