import type { ActionName } from '../messages.ts';
import type { Handlers } from './actions.ts';
import { ready } from './call-actions.ts';
import { PageError } from './failure.ts';
import type { PageHost } from './page-host.ts';
import { knowsTasks } from './task-client.ts';
import type { Tasks } from './tasks.ts';

/** Actions for followed tasks. */
export function taskActions(page: PageHost): Pick<Handlers, Extract<ActionName, `task.${string}`>> {
  return {
    async 'task.cancel'({ key }) {
      await tasksOf(page).cancel(key);
      return null;
    },
    async 'task.find'({ server, task }, { signal }) {
      const client = await ready(page, server, signal);
      if (!knowsTasks(client)) throw new PageError('not-here', 'this host knows no tasks');
      return { key: tasksOf(page).follow(server, '', client.task(task)) };
    },
    'task.forget'({ key }) {
      tasksOf(page).forget(key);
      return null;
    },
  };
}

function tasksOf({ tasks }: PageHost): Tasks {
  if (!tasks) throw new PageError('not-here', 'this host knows no tasks');
  return tasks;
}
