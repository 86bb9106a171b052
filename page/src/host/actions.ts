import type { ActionName, ParamsOf, ResultOf } from '../messages.ts';
import { callActions } from './call-actions.ts';
import type { PageHost } from './page-host.ts';
import { serverActions } from './server-actions.ts';
import { wireActions } from './wire-actions.ts';

/** What an action is done for. */
export interface ActionContext {
  /** The name of the tab. */
  readonly tab: string;
  /** Fires when the page no longer waits. */
  readonly signal: AbortSignal;
}

/** What is done for each action. */
export type Handlers = { readonly [N in ActionName]: (params: ParamsOf<N>, context: ActionContext) => ResultOf<N> | Promise<ResultOf<N>> };

/** Every action that this host does. */
export function handlersOf(page: PageHost): Partial<Handlers> {
  return { ...serverActions(page), ...callActions(page), ...wireActions(page), ...page.options.actions?.(page) };
}

