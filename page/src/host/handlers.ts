import type { Handlers, LocalActionName } from './actions.ts';
import { callActions } from './call-actions.ts';
import type { PageHost } from './page-host.ts';
import { serverActions } from './server-actions.ts';
import { taskActions } from './task-actions.ts';
import { wireActions } from './wire-actions.ts';

/** Makes the local actions: `localActions`, for a host that opens servers of the person's choice. */
export type MakeLocalActions = (page: PageHost) => Pick<Handlers, LocalActionName>;

/** All actions of this host. */
export function handlersOf(page: PageHost, local?: MakeLocalActions): Partial<Handlers> {
  return { ...serverActions(page), ...callActions(page), ...wireActions(page), ...taskActions(page), ...local?.(page) };
}
