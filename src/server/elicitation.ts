import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';
import { quote } from '../bounds/quote.ts';
import { isObject } from '../jsonrpc/message.ts';
import type { Params } from '../jsonrpc/message.ts';
import { formFor } from '../protocol/form-rules.ts';
import type { FormProperties, PrimitiveSchemaDefinition, RequestedSchema, StringSchema } from '../protocol/form-schema.ts';
import { completeForm, formSchema } from '../protocol/form.ts';
import type { Form, FormContent } from '../protocol/form.ts';
import * as revisionTable from '../protocol/revisions.ts';
import type { Root } from '../protocol/roots.ts';
import type { CreateMessageRequestParams, CreateMessageResult } from '../protocol/sampling.ts';
import { ToolError } from './errors.ts';
import type { Question, QuestionOptions, Reading } from './input-requests.ts';
import { rootsQuestion } from './roots.ts';
import { sampleQuestion } from './sampling.ts';

/** Options of a form question. `C`: the form's content. */
export interface FormQuestionOptions<C> extends QuestionOptions {
  /**
   * The answer if the client cannot be asked. Content is taken as if the person had accepted it, and must fit the form; `'skip'`
   * counts as `cancel`. Default: the question rejects with `MissingCapabilityError`.
   */
  readonly otherwise?: C | 'skip' | undefined;
}

/** Options of a URL question. */
export interface UrlQuestionOptions extends QuestionOptions {
  /** The id that `notifications/elicitation/complete` names (2025-11-25). Must be unique within the server. Default: a random id. */
  readonly elicitationId?: string | undefined;
}

/** The answer to a form. `decline`: the person said no. `cancel`: the person went away. */
export type FormAnswer<C> =
  | { action: 'accept'; content: C }
  | { action: 'decline' | 'cancel'; content?: undefined };

/** The person's answer to a link. `accept`: agreed to open it; the outcome on the page is not known. */
export interface UrlAnswer {
  action: 'accept' | 'decline' | 'cancel';
}

const withProblem = (message: string, problem: string | undefined): string =>
  problem === undefined ? message : `${message}\n\nThe last answer could not be used: ${problem}`;

export function formQuestion<const S extends Form>(
  message: string,
  form: S,
  options?: FormQuestionOptions<FormContent<S>>,
): Question<FormAnswer<FormContent<S>>> {
  if (typeof message !== 'string') checkOptions<unknown>('elicit: message', message, 'string');
  if (options) checkOptions<object>('elicit: options', options, { key: 'string', otherwise: 'object or "skip"' });
  const full = formSchema(form);
  const content = options?.otherwise;
  const question: Question<FormAnswer<FormContent<S>>> = {
    method: 'elicitation/create',
    key: options?.key,
    otherwise: content && (content === 'skip' ? { action: 'cancel' } : { action: 'accept', content }),
    params(revision, problem) {
      const fit = formFor(full, { richForms: revisionTable.richForms(revision) });
      if ('faults' in fit) {
        const faults = fit.faults.map(({ property, rule }) => `${property}: ${rule}`).join('; ');
        throw new TypeError(`the form cannot be sent in ${revision.version}: ${faults}`);
      }
      const params: Params = { message: withProblem(message, problem), requestedSchema: fit.schema };
      // 2025-11-25 client/elicitation: `mode` is named since there are two modes.
      return revisionTable.urlElicitation(revision) ? { mode: 'form', ...params } : params;
    },
    read(answer) {
      const action = readAction(answer);
      if (action === undefined) return { problem: 'it has no action' };
      if (action !== 'accept') return { value: { action } };
      const completed = completeForm(full as S, answer['content']);
      if (completed.valid) return { value: { action, content: completed.content } };
      return { problem: completed.errors.map((error) => `${error.property} ${error.message}`).join('; ') };
    },
  };
  if (question.otherwise) {
    const reading = question.read(question.otherwise);
    if ('problem' in reading) throw new TypeError(`elicit: options.otherwise does not fit the form: ${reading.problem}`);
  }
  return question;
}

export function urlQuestion(
  message: string,
  url: string,
  options: UrlQuestionOptions = {},
): Question<UrlAnswer> {
  checkOptions('elicitUrl: options', options, { key: 'string', elicitationId: 'string' });
  let { elicitationId } = options;
  // 2025-11-25 client/elicitation#url-mode-elicitation-requests: it MUST be a valid URL.
  if (typeof URL === 'function' && !isUrl(url)) throw new TypeError(`elicitUrl: ${quote(url)} is not a URL`);
  return {
    method: 'elicitation/create',
    key: options.key,
    params: (revision) => ({
      mode: 'url',
      message,
      url,
      // 2025-11-25 client/elicitation#url-mode-elicitation-requests: required there, and unique within the server.
      // Gone in the next revision.
      ...revisionTable.elicitationId(revision) && { elicitationId: elicitationId ??= uniqueId() },
    }),
    read(answer) {
      const action = readAction(answer);
      return action === undefined ? { problem: 'it has no action' } : { value: { action } };
    },
  };
}

function isUrl(text: string): boolean {
  try {
    return Boolean(new URL(text));
  } catch {
    return false;
  }
}

/** An id that no other question of any process has. It need not be hard to guess. */
const uniqueId = (): string => globalThis.crypto?.randomUUID?.()
  ?? Array.from({ length: 3 }, () => Math.random().toString(36).slice(2)).join('-');

function readAction({ action }: Record<string, unknown>): 'accept' | 'decline' | 'cancel' | undefined {
  return action === 'accept' || action === 'decline' || action === 'cancel' ? action : undefined;
}

/**
 * Thrown if the person did not answer a question that a generator yielded. If the handler does not catch it, the tool fails with
 * its message.
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
  /** Yields the question once, and returns its answer. */
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

/** Applies `pick` to the form's content. If the form was not accepted, `NotAnswered` is thrown into the generator. */
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

/** A form of one field. Options other than the question's `key` describe the field; `more` has the options of this kind of field. */
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
    params: (revision, problem) => (revisionTable.richForms(revision) ? list : each).params(revision, problem),
    read(answer) {
      const { content } = answer;
      // One yes or no for each choice: check them as the list of the chosen ones.
      const some = isObject(content) && Object.keys(content).some((name) => /^choice\d+$/.test(name));
      const value = some ? choices.filter((_, at) => content[`choice${at + 1}`] === true) : undefined;
      return list.read(value ? { ...answer, content: { value } } : answer) as Reading<FormAnswer<{ value: C[] }>>;
    },
  };
  return accepted(question, ({ value }) => choices.filter((choice) => value.includes(choice)));
}

/** The questions of generator handlers. Each becomes a restricted schema, and its answer a plain value. */
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
  /** Sends the person to a page, for data that must not go through the client. Continues when the person has agreed to open it. */
  url(message: string, url: string, options?: QuestionOptions): Asked<void>;
  /**
   * Sends the person to a page of yours to enter a password, a key or a card there; continues when the person has agreed to open
   * it. There is no way to ask for a secret in a form, on purpose: text typed into a form passes through the client, its log and
   * perhaps a model, and a server must not ask for it there. 2025-11-25 client/elicitation#security-considerations. Throws a
   * TypeError if `url` is neither https nor on this machine. The secret is sent to your page, not to the handler.
   */
  secret(message: string, url: string, options?: QuestionOptions): Asked<void>;
  /** A message of the client's model. */
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
      throw new TypeError(`ask.secret: ${quote(url)} is not an https address`);
    }
    return ask.url(message, url, options);
  },
  sample: (params, options) => asked(sampleQuestion(params, options)),
  roots: (options) => asked(rootsQuestion(options)),
};
