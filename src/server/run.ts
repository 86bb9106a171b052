import type { Exchange } from './exchange.ts';
import type { Question } from './question.ts';

/** A handler that yields its questions, alone or several together. */
export type QuestionGenerator<R> =
  | Generator<Question | readonly Question[], R, never>
  | AsyncGenerator<Question | readonly Question[], R, never>;

/** What a handler may return: a value, a promise of it, or the generator that will end with it. */
export type Outcome<R> = R | Promise<R> | QuestionGenerator<R>;

/** Runs what a handler returned to its end. A value that is there at once stays synchronous. */
export function settle<R>(outcome: Outcome<R>, exchange: Exchange): R | Promise<R> {
  if (isGenerator<R>(outcome)) return drive(outcome, exchange);
  return outcome;
}

function isGenerator<R>(outcome: Outcome<R>): outcome is QuestionGenerator<R> {
  if (typeof outcome !== 'object' || outcome === null || !('next' in outcome)) return false;
  return Symbol.iterator in outcome || Symbol.asyncIterator in outcome;
}

/** Asks what a generator yields. A run that is left behind is ended by `return()`: `finally` runs, `catch` does not. */
async function drive<R>(generator: QuestionGenerator<R>, exchange: Exchange): Promise<R> {
  exchange.onLeave(() => void Promise.resolve(generator.return(undefined as R)).catch(() => {}));
  let step = await generator.next();
  while (step.done !== true) {
    const asked = step.value;
    let answer: unknown;
    try {
      answer = await (isList(asked) ? Promise.all(asked.map((one) => exchange.ask(one))) : exchange.ask(asked));
    } catch (thrown) {
      step = await generator.throw(thrown);
      continue;
    }
    step = await generator.next(answer as never);
  }
  return step.value;
}

function isList(asked: Question | readonly Question[]): asked is readonly Question[] {
  return Array.isArray(asked);
}

/** `then` for a value that may already be there. */
export function after<A, B>(value: A | Promise<A>, next: (value: A) => B | Promise<B>): B | Promise<B> {
  return value instanceof Promise ? value.then(next) : next(value);
}
