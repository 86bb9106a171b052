import type { Auth } from '../transport/port.ts';

/**
 * Whose a task is: the principal's, where the transport authenticates. Where it does not, a task belongs to whoever
 * knows its id, which cannot be guessed. 2025-11-25 basic/utilities/tasks#task-isolation-and-access-control.
 */
export const ownerOf = (auth: Auth | undefined): string => (auth ? `principal:${auth.principal}` : '');
