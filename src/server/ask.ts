import type { CreateMessageRequestParams, CreateMessageResult } from '../protocol/sampling.ts';
import type { Root } from '../protocol/roots.ts';
import type { FormContent } from '../protocol/form.ts';
import type { FormProperties, PrimitiveSchemaDefinition, RequestedSchema } from '../protocol/form-schema.ts';
import { ToolError } from './failure.ts';
import { formQuestion, rootsQuestion, sampleQuestion, urlQuestion } from './question.ts';
import type { FormAnswer, Question, QuestionOptions, Reading } from './question.ts';

/**
 * The person did not answer a question that a generator yielded. Uncaught, it ends the tool with its message.
 */
export class NotAnswered extends ToolError {
  /** `decline`: the person said no. `cancel`: the person went away. */
  readonly action: 'decline' | 'cancel';

  constructor(action: 'decline' | 'cancel') {
    super(action === 'decline' ? 'The user declined to answer.' : 'The user cancelled the question.');
    this.name = 'NotAnswered';
    this.action = action;
  }
}

/** A question to yield. `yield* ask.text(…)` gives the answer its type; a plain `yield` works too. */
export interface Asked<T> extends Question<T> {
  /** Puts the question once, and returns the answer that was sent in. */
  [Symbol.iterator](): Generator<Question<T>, T, T>;
}

export interface FieldOptions extends QuestionOptions {
  readonly title?: string;
  readonly description?: string;
}

function asked<T>(question: Question<T>): Asked<T> {
  return {
    ...question,
    * [Symbol.iterator]() {
      return yield this;
    },
  };
}

/** Turns a form's answer into what is wanted of it; not accepted, it is thrown into the generator. */
function accepted<C, T>(question: Question<FormAnswer<C>>, pick: (content: C) => T): Asked<T> {
  return asked({
    ...question,
    read(answer): Reading<T> {
      const reading = question.read(answer);
      if ('problem' in reading) return reading;
      if (reading.value.action !== 'accept') throw new NotAnswered(reading.value.action);
      return { value: pick(reading.value.content) };
    },
  });
}

/** A form of one field: what is not the question's key describes the field. */
function field<T>(message: string, kind: object, { key, ...rest }: FieldOptions): Asked<T> {
  const properties: FormProperties = { value: { ...kind, ...rest } as PrimitiveSchemaDefinition };
  const question = formQuestion<FormProperties>(message, properties, { key });
  return accepted(question as Question<FormAnswer<{ value: T }>>, (content) => content.value);
}

type Limits<F> = Omit<F, 'type' | 'enum' | 'oneOf' | 'title' | 'description'>;

/** The questions of generator handlers: each becomes a restricted schema, and its answer a plain value. */
export const ask: {
  /** A text, with `minLength`, `maxLength`, `format` and `default`. */
  text(
    message: string,
    options?: FieldOptions & Limits<Extract<PrimitiveSchemaDefinition, { type: 'string'; minLength?: number }>>,
  ): Asked<string>;
  /** A number, whole where `integer` is true, between `minimum` and `maximum`. */
  number(
    message: string,
    options?: FieldOptions & { minimum?: number; maximum?: number; default?: number; integer?: boolean },
  ): Asked<number>;
  /** Yes or no. */
  confirm(message: string, options?: FieldOptions & { default?: boolean }): Asked<boolean>;
  /** One of some choices. */
  select<const C extends string>(
    message: string, choices: readonly C[], options?: FieldOptions & { default?: NoInfer<C> },
  ): Asked<C>;
  /** Several fields at once; the value is the form's content. */
  form<const S extends FormProperties | RequestedSchema>(
    message: string, form: S, options?: QuestionOptions,
  ): Asked<FormContent<S>>;
  /** Sends the person to a page, for what must not go through the client. Goes on when the person has agreed to open it. */
  url(message: string, url: string, options?: QuestionOptions): Asked<void>;
  /** An answer of the client's model. */
  sample(params: CreateMessageRequestParams, options?: QuestionOptions): Asked<CreateMessageResult>;
  /** The client's roots. */
  roots(options?: QuestionOptions): Asked<Root[]>;
} = {
  text: (message, options = {}) => field(message, { type: 'string' }, options),
  number: (message, { integer, ...options } = {}) =>
    field(message, { type: integer ? 'integer' : 'number' }, options),
  confirm: (message, options = {}) => field(message, { type: 'boolean' }, options),
  select: (message, choices, options = {}) => field(message, { type: 'string', enum: choices }, options),
  form: (message, form, options) => accepted(formQuestion(message, form, options), (content) => content),
  url: (message, url, options) => accepted(
    urlQuestion(message, url, options) as Question<FormAnswer<undefined>>,
    () => undefined,
  ),
  sample: (params, options) => asked(sampleQuestion(params, options)),
  roots: (options) => asked(rootsQuestion(options)),
};
