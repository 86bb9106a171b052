import type { Question } from './question.ts';

/** A handler that yields its questions, alone or several together. */
export type QuestionGenerator<R> =
  | Generator<Question | readonly Question[], R, never>
  | AsyncGenerator<Question | readonly Question[], R, never>;

/** What a handler may return: a value, a promise of it, or the generator that will end with it. */
export type Outcome<R> = R | Promise<R> | QuestionGenerator<R>;

/** `then` for a value that may already be there. */
export function after<A, B>(value: A | Promise<A>, next: (value: A) => B | Promise<B>): B | Promise<B> {
  return value instanceof Promise ? value.then(next) : next(value);
}
