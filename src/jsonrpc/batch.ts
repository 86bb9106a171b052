import { heldWeight } from '../bounds/weight.ts';
import { classify, invalid, refusal } from './message.ts';
import type { Connection, TakeBatch } from './connection.ts';
import { internalErrorCode } from './errors.ts';
import type { Decoded, Notification, Request } from './message.ts';
import type { Outlet } from './inbound-request.ts';

/** Characters of responses after which the rest of a batch waits for the next turn of the event loop. */
const longAnswers = 1_048_576;

/** Handles each message of a batch like a single message, and sends all responses as one batch. 2025-03-26 basic/index#batching. */
export const takeBatch: TakeBatch = (connection, { values, weight: length }, outlet) => {
  const { budget, limits: { maxBatch, maxBatchAnswer } } = connection;
  if (values.length > maxBatch) return connection.refuse(outlet, invalid(`a batch holds at most ${maxBatch} messages`));
  const weight = budget.crowded ? heldWeight(length, values) : length;
  if (!budget.charge(weight)) return connection.refuseBytes(outlet, null, weight);
  const items = values.map((value) => classify(value));
  const answers = items.filter((item) => item.kind === 'request' || item.kind === 'refusal').length;
  const done = (): void => budget.release(weight);
  takeItems(connection, items, new BatchOutlet(outlet, answers, maxBatchAnswer, done));
  if (answers === 0) done();
};

/** Handles the items of a batch from `at` on. After long responses it yields, so that other peers are served. */
function takeItems(connection: Connection, items: readonly Decoded[], gathered: BatchOutlet, at: number = 0): void {
  const enough = gathered.length + longAnswers;
  for (const item of items.slice(at)) {
    if (gathered.length > enough && connection.clock.after(0, () => takeItems(connection, items, gathered, at))) return;
    at++;
    if (gathered.full && item.kind === 'request') {
      connection.refuse(gathered, refusal(item.message.id, internalErrorCode, 'The response to the batch is full'));
    } else connection.receive(item, gathered);
  }
}

/**
 * Collects the responses to a batch and sends them as one batch after the last one; then calls `done`. A result that
 * would make the batch longer than `maxLength` becomes an error.
 * JSON-RPC 2.0 section 6; 2025-03-26 basic/index#batching.
 */
class BatchOutlet implements Outlet {
  /** Characters of the responses so far. */
  length = 0;
  /** True after a result did not fit: later requests get an error and are not run. */
  full = false;
  readonly #outlet: Outlet;
  #open: number;
  readonly #maxLength: number;
  readonly #done: () => void;
  readonly #answers: string[] = [];

  constructor(outlet: Outlet, requests: number, maxLength: number, done: () => void) {
    this.#outlet = outlet;
    this.#open = requests;
    this.#maxLength = maxLength;
    this.#done = done;
  }

  send(text: string, message?: Request | Notification): void {
    this.#outlet.send(text, message);
  }

  answer(text: string | undefined): void {
    const answers = this.#answers;
    if (text !== undefined) {
      this.length += text.length + 1;
      answers.push(text);
    }
    if (--this.#open > 0) return;
    this.#outlet.answer(answers.length > 0 ? `[${answers.join()}]` : undefined);
    this.#done();
  }

  room(more: number, droppable?: boolean): boolean {
    const outlet = this.#outlet;
    // A notification is sent separately, and does not make the batch longer.
    if (droppable) return outlet.room?.(more, true) ?? true;
    const whole = this.length + more;
    this.full ||= whole > this.#maxLength || outlet.room?.(whole) === false;
    return !this.full;
  }
}
