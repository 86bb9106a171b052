import type { Clock } from '../bounds/clock.ts';
import type { Bag } from '../jsonrpc/index.ts';
import { mayPass } from './passing-fault.ts';

/** The subscription of one handle to a task. */
export interface Follower {
  /**
   * Resolves with the task when the server notifies of it; with undefined after `ms`, or when `wake` is called. What
   * came since the last call resolves it at once. `background`: the process may exit before.
   */
  wait(ms: number, background?: boolean): Promise<Bag | undefined>;
  /** Makes the waiting handle request the task now. */
  wake(): void;
  /** Ends the subscription and wakes the handle. */
  leave(): void;
}

interface FollowedTask extends Follower {
  tell(task: Bag): void;
}

/** The most tasks in one subscription; the others are polled. Servers have limits too: 1,000 in barewire. */
const maxNamed = 500;

/**
 * Distributes the server's notifications about tasks to the handles that wait for them. If the server offers it, one
 * `subscriptions/listen` names all followed tasks; if not, the handles poll. ext-tasks, Task Status Notifications.
 */
export class TaskNews {
  readonly #clock: Clock;
  readonly #listen: (ids: readonly string[] | undefined) => Promise<unknown>;
  readonly #followed = new Map<string, Set<FollowedTask>>();
  /** The tasks in the current subscription of this connection. */
  #asked: ReadonlySet<string> = new Set();
  #asking = false;
  /** The server does not offer the subscription. */
  #refused = false;
  #connection = 0;

  /**
   * @param listen subscribes to these tasks; undefined: ends the subscription. Resolves with what the server agreed to.
   *   It is not called again before it has settled.
   */
  constructor(listen: (ids: readonly string[] | undefined) => Promise<unknown>, clock: Clock) {
    this.#clock = clock;
    this.#listen = listen;
  }

  follow(id: string): Follower {
    const followers = this.#followed.get(id) ?? new Set();
    this.#followed.set(id, followers);
    let told: Bag | undefined;
    let woken = false;
    let go: () => void = () => {};
    const follower: FollowedTask = {
      wait: (ms, background) => new Promise((resolve) => {
        go = () => {
          timer?.stop();
          go = () => {};
          const task = told;
          told = undefined;
          woken = false;
          resolve(task);
        };
        const timer = this.#clock.after(ms, () => go(), background);
        if (told || woken) go();
        else void this.#ask();
      }),
      wake() {
        woken = true;
        go();
      },
      tell(task) {
        told = task;
        go();
      },
      leave: () => {
        if (followers.delete(follower) && followers.size === 0 && this.#followed.get(id) === followers) {
          this.#followed.delete(id);
        }
        follower.wake();
        if (this.#followed.size === 0) void this.#ask();
      },
    };
    followers.add(follower);
    void this.#ask();
    return follower;
  }

  /** Called for each notification of a task. `whole`: it contains all that `tasks/get` would return. */
  told(task: Bag, whole: boolean): void {
    for (const follower of [...this.#followed.get(String(task['taskId'])) ?? []]) {
      if (whole) follower.tell(task);
      else follower.wake();
    }
  }

  /** Makes every handle request its task now. */
  wake(): void {
    for (const followers of this.#followed.values()) for (const follower of [...followers]) follower.wake();
  }

  /** Called for a new connection, which has no subscription yet. */
  restart(): void {
    this.#connection++;
    this.#asked = new Set();
    this.#refused = false;
    void this.#ask();
  }

  /**
   * Subscribes to the followed tasks. Each change needs a new stream, so an ended task stays in the filter until a task
   * is added or none is left.
   */
  async #ask(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    // Tasks that are begun in one turn share a request.
    await Promise.resolve();
    while (!this.#refused && this.#differs) {
      const connection = this.#connection;
      const ids = this.#wanted;
      this.#asked = new Set(ids);
      const answer = await this.#offer(ids);
      if (connection !== this.#connection) continue;
      this.#refused = answer === 'never';
      if (answer !== 'later') continue;
      // Each call of `wait` tries again.
      this.#asked = new Set();
      break;
    }
    this.#asking = false;
  }

  /** Subscribes. `never`: the server does not notify of these tasks, so that they are polled. */
  async #offer(ids: readonly string[]): Promise<'agreed' | 'never' | 'later'> {
    try {
      if (ids.length > 0 && await this.#listen(ids) !== undefined) return 'agreed';
      await this.#listen(undefined);
      return ids.length > 0 ? 'never' : 'agreed';
    } catch (error) {
      return mayPass(error) ? 'later' : 'never';
    }
  }

  /** The tasks to subscribe to: those that were followed first. */
  get #wanted(): string[] {
    const ids: string[] = [];
    for (const id of this.#followed.keys()) if (ids.push(id) === maxNamed) break;
    return ids;
  }

  get #differs(): boolean {
    const wanted = this.#wanted;
    return wanted.length === 0 ? this.#asked.size > 0 : !wanted.every((id) => this.#asked.has(id));
  }
}
