import type { ActionName, ParamsOf, ResultOf } from '../messages.ts';

/** The tab that sent an action, and whether it still waits. */
export interface ActionContext {
  /** The name of the tab. */
  readonly tab: string;
  /** Aborts when the page no longer waits. */
  readonly signal: AbortSignal;
}

/** The handler of each action. */
export type Handlers = { readonly [N in ActionName]: (params: ParamsOf<N>, context: ActionContext) => ResultOf<N> | Promise<ResultOf<N>> };

/** Actions only for a host that opens servers of the person's choice. The playground's worker has none of them. */
export type LocalActionName = Extract<ActionName, 'server.add' | `import.${string}` | `saved.${string}` | 'server.saving' | 'server.save' | 'server.credentials' | `app.${string}` | `login.${string}` | 'wire.curl'>;
