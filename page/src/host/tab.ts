import type { ActionContext, Handlers } from './actions.ts';
import { failureOf, PageError } from './failure.ts';
import { handlersOf } from './handlers.ts';
import type { MakeLocalActions } from './handlers.ts';
import type { PageHost } from './page-host.ts';
import type { Reply } from '../messages.ts';

/** The most actions of one page that may wait for their reply. */
const maxActions = 1_000;

/** A page that has sent `hello`. */
export interface Tab {
  /** Handles a message of the page: an action or a cancellation. */
  receive(text: string): void;
  /** The page is gone. Its calls go on. */
  close(): void;
}

/**
 * Welcomes a page and serves it. `name`: the `tab` of its `hello`. `local`: `localActions`; without it the page has none of the
 * actions in `LocalActionName`, such as adding servers or logging in.
 */
export function openTab(page: PageHost, name: string, send: (text: string) => void, local?: MakeLocalActions): Tab {
  const handlers = handlersOf(page, local) as Readonly<Record<string, Handlers[keyof Handlers]>>;
  const waiting = new Map<number, AbortController>();
  let open = true;
  const deaf = page.listen(send, Object.hasOwn(handlers, 'server.add'));

  const reply = (message: Reply): void => {
    if (open) send(JSON.stringify(message));
  };

  async function act(id: number, action: string, params: object): Promise<void> {
    const stop = new AbortController();
    waiting.set(id, stop);
    try {
      const handler = Object.hasOwn(handlers, action) ? handlers[action] as (params: object, context: ActionContext) => unknown : undefined;
      if (!handler) throw new PageError('not-here', `this host has no action ${JSON.stringify(action).slice(0, 100)}`);
      if ('server' in params && typeof params.server !== 'string') throw new PageError('bad-params', 'server: expected a string');
      reply({ type: 'reply', id, ok: true, result: await handler(params, { tab: name, signal: stop.signal }) });
    } catch (thrown) {
      const { code, message, data } = failureOf(stop.signal.aborted ? stop.signal.reason : thrown);
      reply({ type: 'reply', id, ok: false, error: { code, message, ...data !== undefined && { data } } });
    } finally {
      waiting.delete(id);
    }
  }

  return {
    receive(text) {
      const message = read(text);
      const { type, id } = message ?? {};
      if (typeof id !== 'number') return;
      if (type === 'cancel') waiting.get(id)?.abort(new PageError('cancelled', 'the person cancelled it'));
      else if (waiting.size >= maxActions || waiting.has(id)) {
        reply({ type: 'reply', id, ok: false, error: { code: 'bad-message', message: waiting.has(id) ? 'this id waits for its reply' : `more than ${maxActions} actions wait` } });
      } else void act(id, String(message?.['name']), record(message?.['params']));
    },
    close() {
      open = false;
      deaf();
    },
  };
}

function read(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return record(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  (typeof value === 'object' && value !== null && !Array.isArray(value) ? value as Readonly<Record<string, unknown>> : {});
