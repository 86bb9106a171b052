import { checkOptions } from '../bounds/options.ts';
import type { Params } from '../jsonrpc/message.ts';
import { isObject } from '../jsonrpc/codec.ts';
import { quote } from '../bounds/quote.ts';
import * as columns from '../protocol/revisions.ts';
import { samplingFault } from '../protocol/sampling-rules.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { CreateMessageRequestParams, CreateMessageResult } from '../protocol/sampling.ts';
import type { Root } from '../protocol/roots.ts';
import { completeForm, formSchema } from '../protocol/form.ts';
import type { Form, FormContent } from '../protocol/form.ts';
import { formFor } from '../protocol/form-rules.ts';

/**
 * What reading an answer gives: its value, or what is wrong with it,
 * in words for the person who is asked again.
 */
export type Reading<T> = { value: T } | { problem: string };

/** One question to the client: how it is put in a revision, and how its answer is read. */
export interface Question<T = unknown> {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  /** Tells this question from the others of one request; without it, its place among them does. */
  readonly key: string | undefined;
  /** The answer that counts where the client did not declare that it answers such questions. */
  readonly otherwise?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Throws where the question cannot be put in the revision. `problem`: what was wrong with the last answer.
   */
  params(revision: Revision, problem?: string): Params;
  /** Reads the client's answer: the value, or what is wrong with it. */
  read(answer: Record<string, unknown>): Reading<T>;
}

/** What every question may be given. */
export interface QuestionOptions {
  /**
   * A name for this question, unique within the request, so that its answer is found again in the next round.
   */
  readonly key?: string | undefined;
}

/** What the question of a form may be given. `C`: its content. */
export interface FormQuestionOptions<C> extends QuestionOptions {
  /**
   * What counts where the client cannot be asked. Content is taken as if the person had accepted it, and must fit the
   * form; `'skip'` counts as `cancel`. Default: the question rejects with `MissingCapabilityError`.
   */
  readonly otherwise?: C | 'skip' | undefined;
}

/** What the question of a page may be given. */
export interface UrlQuestionOptions extends QuestionOptions {
  /**
   * 2025-11-25: what `notifications/elicitation/complete` will name. Must be unique within the server. A random
   * one, unless given.
   */
  readonly elicitationId?: string | undefined;
}

/** The answer to a form. `decline`: the person said no. `cancel`: the person went away. */
export type FormAnswer<C> =
  | { action: 'accept'; content: C }
  | { action: 'decline' | 'cancel'; content?: undefined };

/** What the person did with a link. `accept`: agreed to open it; what happens on the page is not known. */
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
  if (options) checkOptions<object>('elicit: options', options, { key: 'string', otherwise: 'object or "skip"' });
  const full = formSchema(form);
  const content = options?.otherwise;
  const question: Question<FormAnswer<FormContent<S>>> = {
    method: 'elicitation/create',
    key: options?.key,
    otherwise: content && (content === 'skip' ? { action: 'cancel' } : { action: 'accept', content }),
    params(revision, problem) {
      const fit = formFor(full, { richForms: columns.richForms(revision) });
      if ('faults' in fit) {
        const faults = fit.faults.map(({ property, rule }) => `${property}: ${rule}`).join('; ');
        throw new TypeError(`the form cannot be sent in ${revision.version}: ${faults}`);
      }
      const params: Params = { message: withProblem(message, problem), requestedSchema: fit.schema };
      // 2025-11-25 client/elicitation: the mode has a name since there are two.
      return columns.urlElicitation(revision) ? { mode: 'form', ...params } : params;
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
  if (typeof URL === 'function' && !isUrl(url)) throw new TypeError(`elicitUrl: ${quote(url)} is no URL`);
  return {
    method: 'elicitation/create',
    key: options.key,
    params: (revision) => ({
      mode: 'url',
      message,
      url,
      // 2025-11-25 client/elicitation#url-mode-elicitation-requests: required there, and unique within the server.
      // Gone in the next revision.
      ...columns.elicitationId(revision) && { elicitationId: elicitationId ??= uniqueId() },
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

/** A name that no other question of this process or another has. Nobody has to be unable to guess it. */
const uniqueId = (): string => globalThis.crypto?.randomUUID?.()
  ?? Array.from({ length: 3 }, () => Math.random().toString(36).slice(2)).join('-');

function readAction({ action }: Record<string, unknown>): 'accept' | 'decline' | 'cancel' | undefined {
  return action === 'accept' || action === 'decline' || action === 'cancel' ? action : undefined;
}

export function sampleQuestion(
  params: CreateMessageRequestParams,
  options?: QuestionOptions,
): Question<CreateMessageResult> {
  if (options) checkOptions('sample: options', options, { key: 'string' });
  const fault = samplingFault(params.messages);
  if (fault !== undefined) throw new TypeError(`sample: ${fault}`);
  return {
    method: 'sampling/createMessage',
    key: options?.key,
    params: () => ({ ...params }),
    read(answer) {
      if (!isMessage(answer)) return { problem: 'the model\'s message has no role, content or model' };
      return { value: answer };
    },
  };
}

function isMessage(answer: Record<string, unknown>): answer is Record<string, unknown> & CreateMessageResult {
  const { role, content, model } = answer;
  return (role === 'user' || role === 'assistant') && typeof content === 'object' && content !== null
    && typeof model === 'string';
}

export function rootsQuestion(options?: QuestionOptions): Question<Root[]> {
  if (options) checkOptions('roots: options', options, { key: 'string' });
  return {
    method: 'roots/list',
    key: options?.key,
    params: () => ({}),
    read({ roots }) {
      return isRoots(roots) ? { value: roots } : { problem: 'it has no list of roots, each with a uri' };
    },
  };
}

function isRoots(roots: unknown): roots is Root[] {
  return Array.isArray(roots) && roots.every((root) => isObject(root) && typeof root['uri'] === 'string');
}
