import { checkScopes } from '../server/guards.ts';
import { AccessDenied } from '../transport/auth.ts';
import type { Auth } from '../transport/auth.ts';
import type { TaskView } from './journal.ts';

/**
 * Whose a task is: the principal's, where the transport authenticates. Where it does not, a task belongs to whoever
 * knows its id, which cannot be guessed. 2025-11-25 basic/utilities/tasks#task-isolation-and-access-control.
 */
export const ownerOf = (auth: Auth | undefined): string => (auth ? `principal:${auth.principal}` : '');

/** Whether a task may be told of to whoever has these credentials. */
export function mayHear({ owner, scopes }: Pick<TaskView, 'owner' | 'scopes'>, auth: Auth | undefined): boolean {
  if (ownerOf(auth) !== owner) return false;
  try {
    checkScopes({ scopes }, { auth });
    return true;
  } catch (error) {
    if (error instanceof AccessDenied) return false;
    throw error;
  }
}
