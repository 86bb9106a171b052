import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';
import { isObject } from '../jsonrpc/codec.ts';
import { quote } from '../bounds/quote.ts';
import * as columns from '../protocol/revisions.ts';
import type { CreateMessageRequestParams, CreateMessageResult } from '../protocol/sampling.ts';
import type { Root } from '../protocol/roots.ts';
import type { FormContent } from '../protocol/form.ts';
import type { FormProperties, PrimitiveSchemaDefinition, RequestedSchema, StringSchema } from '../protocol/form-schema.ts';
import { ToolError } from './failure.ts';
import { formQuestion, rootsQuestion, sampleQuestion, urlQuestion } from './question.ts';
import type { FormAnswer, FormQuestionOptions, Question, QuestionOptions, Reading } from './question.ts';

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

const fieldShape: Shape<FieldOptions> = { title: 'string', description: 'string', key: 'string' };

/** A form of one field: what is not the question's key describes the field, as `more` says. */
function field<T>(
  what: string, message: string, kind: object, options: FieldOptions, more: Readonly<Record<string, string>>,
): Asked<T> {
  checkOptions<object>(`ask.${what}: options`, options, { ...fieldShape, ...more });
  const { key, integer, ...rest }: FieldOptions & { integer?: boolean } = options;
  const properties: FormProperties = { value: { ...kind, ...rest } as PrimitiveSchemaDefinition };
  const question = formQuestion<FormProperties>(message, properties, { key });
  return accepted(question as Question<FormAnswer<{ value: T }>>, (content) => content.value);
}

function selectMany<C extends string>(
  message: string, choices: readonly C[], options: FieldOptions & { minItems?: number; maxItems?: number; default?: readonly C[] } = {},
): Asked<C[]> {
  checkOptions('ask.selectMany: options', options, { ...fieldShape, minItems: 'number', maxItems: 'number', default: 'list' });
  const { key, default: chosen, ...rest } = options;
  const list = formQuestion<FormProperties>(message, {
    value: { type: 'array', items: { type: 'string', enum: choices }, ...rest, ...chosen && { default: chosen } },
  }, { key });
  const each = formQuestion<FormProperties>(message, Object.fromEntries(choices.map((choice, at): [string, PrimitiveSchemaDefinition] =>
    [`choice${at + 1}`, { type: 'boolean', title: choice, default: chosen?.includes(choice) ?? false }])), { key });
  const question: Question<FormAnswer<{ value: C[] }>> = {
    ...list,
    params: (revision, problem) => (columns.richForms(revision) ? list : each).params(revision, problem),
    read(answer) {
      const { content } = answer;
      // Yes or no to each choice, and judged as the list that they make.
      const some = isObject(content) && Object.keys(content).some((name) => /^choice\d+$/.test(name));
      const value = some ? choices.filter((_, at) => content[`choice${at + 1}`] === true) : undefined;
      return list.read(value ? { ...answer, content: { value } } : answer) as Reading<FormAnswer<{ value: C[] }>>;
    },
  };
  return accepted(question, ({ value }) => choices.filter((choice) => value.includes(choice)));
}

/** The questions of generator handlers: each becomes a restricted schema, and its answer a plain value. */
export const ask: {
  /** A text, with `minLength`, `maxLength`, `format` and `default`. */
  text(
    message: string,
    options?: FieldOptions & Omit<StringSchema, 'type' | 'enum' | 'oneOf' | 'title' | 'description'>,
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
  /**
   * Any number of some choices, between `minItems` and `maxItems`, in the order of `choices`. A revision before 2025-11-25
   * has no lists in forms: there each choice is a yes or no.
   */
  selectMany<const C extends string>(
    message: string, choices: readonly C[],
    options?: FieldOptions & { minItems?: number; maxItems?: number; default?: readonly NoInfer<C>[] },
  ): Asked<C[]>;
  /** A day as `YYYY-MM-DD`. */
  date(message: string, options?: FieldOptions & { default?: string }): Asked<string>;
  /** An email address. */
  email(message: string, options?: FieldOptions & { default?: string }): Asked<string>;
  /** Several fields at once; the value is the form's content. */
  form<const S extends FormProperties | RequestedSchema>(
    message: string, form: S, options?: FormQuestionOptions<FormContent<S>>,
  ): Asked<FormContent<S>>;
  /** Sends the person to a page, for what must not go through the client. Goes on when the person has agreed to open it. */
  url(message: string, url: string, options?: QuestionOptions): Asked<void>;
  /**
   * Sends the person to a page of yours to enter a password, a key or a card there; goes on when the person has agreed to
   * open it. There is no way to ask for a secret in a form, on purpose: what is typed into one passes through the client,
   * its log and perhaps a model, and a server must not ask for it there. 2025-11-25 client/elicitation#security-considerations.
   * A TypeError where `url` is neither https nor on this machine. What was entered comes to your page, not here.
   */
  secret(message: string, url: string, options?: QuestionOptions): Asked<void>;
  /** An answer of the client's model. */
  sample(params: CreateMessageRequestParams, options?: QuestionOptions): Asked<CreateMessageResult>;
  /** The client's roots. */
  roots(options?: QuestionOptions): Asked<Root[]>;
} = {
  text: (message, options = {}) => field('text', message, { type: 'string' }, options, {
    minLength: 'number', maxLength: 'number', format: '"email" or "uri" or "date" or "date-time"', default: 'string',
  }),
  number: (message, options = {}) => field('number', message, { type: options?.integer ? 'integer' : 'number' }, options, {
    minimum: 'number', maximum: 'number', default: 'number', integer: 'boolean',
  }),
  confirm: (message, options = {}) => field('confirm', message, { type: 'boolean' }, options, { default: 'boolean' }),
  select: (message, choices, options = {}) =>
    field('select', message, { type: 'string', enum: choices }, options, { default: 'string' }),
  form: (message, form, options) => accepted(formQuestion(message, form, options), (content) => content),
  url: (message, url, options) => accepted(
    urlQuestion(message, url, options) as Question<FormAnswer<undefined>>,
    () => undefined,
  ),
  selectMany,
  date: (message, options = {}) => field('date', message, { type: 'string', format: 'date' }, options, { default: 'string' }),
  email: (message, options = {}) => field('email', message, { type: 'string', format: 'email' }, options, { default: 'string' }),
  secret(message, url, options) {
    const { protocol, hostname } = new URL(url);
    if (protocol !== 'https:' && !(protocol === 'http:' && /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname))) {
      throw new TypeError(`ask.secret: ${quote(url)} is no https address`);
    }
    return ask.url(message, url, options);
  },
  sample: (params, options) => asked(sampleQuestion(params, options)),
  roots: (options) => asked(rootsQuestion(options)),
};
