import type { TaskHandle } from 'barewire/tasks';
import type { ProgressView, TaskView } from '../messages.ts';
import { failureOf, PageError } from './failure.ts';

/** The most ended tasks that are kept. */
const maxEnded = 200;

interface Followed {
  view: TaskView;
  readonly handle: TaskHandle;
}

/** The tasks of all servers that the host follows. They outlive pages; `task.find` finds one by its id. */
export class Tasks {
  readonly #onChange: (view: TaskView) => void;
  readonly #onRemoved: (key: string) => void;
  readonly #followed = new Map<string, Followed>();

  constructor(onChange: (view: TaskView) => void, onRemoved: (key: string) => void) {
    this.#onChange = onChange;
    this.#onRemoved = onRemoved;
  }

  get views(): readonly TaskView[] {
    return [...this.#followed.values()].map(({ view }) => view);
  }

  /** Follows a task to its end. `tool`: '' if unknown. Returns its key. */
  follow(server: string, tool: string, handle: TaskHandle): string {
    const key = `${server}/${handle.id}`;
    const followed: Followed = {
      handle,
      view: {
        key, server, task: handle.id, tool, status: handle.status, message: handle.message ?? null, progress: null,
        startedAt: Date.now(), endedAt: null, result: null, failure: null,
      },
    };
    this.#followed.set(key, followed);
    const change = (changes: Partial<TaskView>): void => {
      followed.view = { ...followed.view, ...changes };
      if (this.#followed.get(key) === followed) this.#onChange(followed.view);
    };
    change({});
    void (async () => {
      for await (const { status, message } of handle) change({ status, message: message?.slice(0, 2_000) ?? null });
    })();
    handle.result().then(
      (result) => change({ status: 'completed', result, endedAt: Date.now() }),
      (thrown: unknown) => change({ status: thrown instanceof Error && thrown.name === 'TaskCancelled' ? 'cancelled' : 'failed', failure: failureOf(thrown), endedAt: Date.now() }),
    ).finally(() => this.#forget());
    return key;
  }

  /** Progress of the call that became this task. */
  progress(key: string, progress: ProgressView): void {
    const followed = this.#followed.get(key);
    if (!followed || followed.view.endedAt !== null) return;
    followed.view = { ...followed.view, progress };
    this.#onChange(followed.view);
  }

  async cancel(key: string): Promise<void> {
    await this.#find(key).handle.cancel();
  }

  /** Stops following it; the task itself goes on. */
  forget(key: string): void {
    this.#find(key).handle.leave(new PageError('cancelled', 'the page no longer follows it'));
    this.#followed.delete(key);
    this.#onRemoved(key);
  }

  #find(key: string): Followed {
    const followed = this.#followed.get(key);
    if (!followed) throw new PageError('no-such-task', `there is no task ${key}`);
    return followed;
  }

  #forget(): void {
    const ended = [...this.#followed].filter(([, { view }]) => view.endedAt !== null);
    for (const [key] of ended.slice(0, Math.max(0, ended.length - maxEnded))) {
      this.#followed.delete(key);
      this.#onRemoved(key);
    }
  }
}
