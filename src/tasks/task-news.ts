import type { Clock } from '../bounds/clock.ts';
import type { Bag } from '../jsonrpc/index.ts';
import { mayPass } from './passing-fault.ts';

/** One handle that follows a task. */
export interface Follower {
  /**
   * Resolves with the task as the server last told of it, where it has; with undefined when this time is over, or
   * there is reason to look. What was told since the last call counts.
   */
  wait(ms: number): Promise<Bag | undefined>;
  /** There is reason to look at the task now. */
  wake(): void;
  /** Ends the following; who waits is woken. */
  leave(): void;
}

interface FollowedTask extends Follower {
  tell(task: Bag): void;
}

/** How many tasks one stream names; more are looked at. Servers have bounds too: ours is 1,000. */
const maxNamed = 500;

/**
 * What a server tells of tasks by itself, and who waits for it. Where the server offers it, one
 * `subscriptions/listen` names all tasks that are followed; where it does not, nobody is told, and handles poll.
 * ext-tasks, Task Status Notifications.
 */
export class TaskNews {
  readonly #clock: Clock;
  readonly #listen: (ids: readonly string[] | undefined) => Promise<unknown>;
  readonly #followed = new Map<string, Set<FollowedTask>>();
  /** What the server of this connection was asked to tell of. */
  #asked: ReadonlySet<string> = new Set();
  #asking = false;
  /** It has refused. */
  #refused = false;
  #connection = 0;

  /**
   * @param listen asks to be told of these tasks; undefined: of none any more. Resolves with what the server agreed
   *   to. Called again only when it has settled.
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
      wait: (ms) => new Promise((resolve) => {
        go = () => {
          timer?.stop();
          go = () => {};
          const task = told;
          told = undefined;
          woken = false;
          resolve(task);
        };
        const timer = this.#clock.after(ms, () => go());
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

  /** The server has told of a task; `whole`: it has said all that looking would show. */
  told(task: Bag, whole: boolean): void {
    for (const follower of [...this.#followed.get(String(task['taskId'])) ?? []]) {
      if (whole) follower.tell(task);
      else follower.wake();
    }
  }

  /** There is another connection: its server was asked for nothing yet. */
  restart(): void {
    this.#connection++;
    this.#asked = new Set();
    this.#refused = false;
    void this.#ask();
  }

  /**
   * Asks to be told of what is followed. What has ended stays in the filter until something is added, or nothing is left:
   * each change is a new stream.
   */
  async #ask(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    // What is begun in one turn goes together.
    await Promise.resolve();
    while (!this.#refused && this.#differs) {
      const connection = this.#connection;
      const ids = this.#wanted;
      this.#asked = new Set(ids);
      const answer = await this.#offer(ids);
      if (connection !== this.#connection) continue;
      this.#refused = answer === 'never';
      if (answer !== 'later') continue;
      // Each wait tries again.
      this.#asked = new Set();
      break;
    }
    this.#asking = false;
  }

  /** Whether the server tells of these tasks. Where it does not, they are looked at. */
  async #offer(ids: readonly string[]): Promise<'agreed' | 'never' | 'later'> {
    try {
      if (ids.length > 0 && await this.#listen(ids) !== undefined) return 'agreed';
      await this.#listen(undefined);
      return ids.length > 0 ? 'never' : 'agreed';
    } catch (error) {
      return mayPass(error) ? 'later' : 'never';
    }
  }

  /** The tasks to be told of: those that are followed longest. */
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
