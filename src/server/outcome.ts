import type { Question } from './question.ts';

/** A handler that yields its questions, alone or several together. */
export type QuestionGenerator<R> =
  | Generator<Question | readonly Question[], R, never>
  | AsyncGenerator<Question | readonly Question[], R, never>;

/** What a handler may return: a value, a promise of it, or the generator that will end with it. */
export type Outcome<R> = R | Promise<R> | QuestionGenerator<R>;
