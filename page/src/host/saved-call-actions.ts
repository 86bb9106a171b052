import type { ActionName } from '../messages.ts';
import type { Handlers } from './actions.ts';
import { PageError } from './failure.ts';
import type { PageHost } from './page-host.ts';
import type { SavedCalls } from './saved-calls.ts';

/** Actions for saved calls. */
export function savedCallActions(page: PageHost): Pick<Handlers, Extract<ActionName, `saved.${string}`>> {
  const kept = (): SavedCalls => {
    if (!page.savedCalls) throw new PageError('not-here', 'this host has no file for calls');
    return page.savedCalls;
  };
  const told = (): null => {
    page.tell({ type: 'saved', calls: kept().views });
    return null;
  };
  return {
    'saved.save'({ server, tool, name, args }) {
      page.entry(server);
      kept().save({ server, tool, name, args });
      return told();
    },
    'saved.remove'({ server, tool, name }) {
      kept().remove({ server, tool, name });
      return told();
    },
  };
}
