import type { Decision, Person } from '../../src/host/person.ts';
import type { Step } from './explorer.ts';

/** A question that waits for the person's reply. */
interface Question {
  readonly what: string;
  readonly replies: readonly { readonly name: string; give(): void }[];
}

const approvalMs = 300_000;

/** The person in front of a host. The explorer decides when the person replies; this class records the approvals. */
export class AskedPerson {
  readonly person: Person;
  /** The tool definitions that the person accepted, or that the first listing brought. */
  readonly accepted: Set<string>;
  /** Call number => the definition that the person approved for this call. */
  readonly allowed: Map<unknown, string> = new Map();
  /** Definitions that the person approved for every call of the session. */
  readonly forSession: Set<string> = new Set();
  readonly #questions: Question[] = [];
  /** How often each question was asked: two calls may wait for the same change. */
  readonly #times = new Map<string, number>();
  readonly #monotonic: () => number;

  constructor(monotonic: () => number, accepted: string) {
    this.#monotonic = monotonic;
    this.accepted = new Set([accepted]);
    this.person = {
      approve: ({ tool: { description = '' }, args }, { signal }) => {
        const call = args['call'];
        const shown = this.#monotonic();
        const allow = (reach: 'once' | 'session'): Decision => {
          // docs/host.md: the person can approve a shown call for five minutes; after that it is shown again.
          if (this.#monotonic() - shown < approvalMs) {
            this.allowed.set(call, description);
            if (reach === 'session') this.forSession.add(description);
          }
          return { allow: reach };
        };
        return this.#ask<Decision>(`call ${call} of ${description}`, signal, {
          'allows it once': () => allow('once'), 'allows it for the session': () => allow('session'), 'refuses it': () => ({ allow: false }),
        });
      },
      acceptChange: ({ after }, { signal }) => this.#ask(`the change to ${after?.description}`, signal, {
        'accepts it': () => {
          this.accepted.add(after?.description ?? '');
          return true;
        },
        'refuses it': () => false,
      }),
    };
  }

  get waits(): boolean {
    return this.#questions.length > 0;
  }

  #ask<T>(about: string, signal: AbortSignal, replies: Readonly<Record<string, () => T>>): Promise<T> {
    const times = (this.#times.get(about) ?? 0) + 1;
    this.#times.set(about, times);
    const what = times === 1 ? about : `${about} (${times})`;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#questions.splice(this.#questions.indexOf(question), 1);
        reject(signal.reason as Error);
      };
      const question: Question = {
        what,
        replies: Object.entries(replies).map(([name, reply]) => ({
          name,
          give: () => {
            this.#questions.splice(this.#questions.indexOf(question), 1);
            signal.removeEventListener('abort', stop);
            resolve(reply());
          },
        })),
      };
      this.#questions.push(question);
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  /** The replies that the person may give now. */
  steps(settle: () => Promise<void>): Step[] {
    return this.#questions.flatMap(({ what, replies }) => replies.map(({ name, give }) => ({
      name: `${what}: the person ${name}`, touches: ['client'], run: () => (give(), settle()),
    })));
  }
}
