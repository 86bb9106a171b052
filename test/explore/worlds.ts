import type { Kind } from './explorer.ts';
import { connection } from './worlds/connection.ts';
import { fleet } from './worlds/fleet.ts';
import { host } from './worlds/host.ts';
import { neighbours } from './worlds/neighbours.ts';
import { rounds, roundsOnce } from './worlds/rounds.ts';
import { refresh } from './worlds/refresh.ts';
import { session } from './worlds/session.ts';
import { states } from './worlds/states.ts';
import { task } from './worlds/task.ts';

/** The worlds of `npm run explore`. */
export const worlds: readonly Kind[] = [connection, rounds, roundsOnce, states, session, neighbours, task, refresh, fleet, host];
