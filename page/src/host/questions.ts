import type { ElicitAnswer } from 'barewire/client';
import type { ApprovalRequest, Consent, Decision, Model, Person, PersonContext, PinChange } from 'barewire/host';
import type { CreateMessageRequestParams, CreateMessageResult } from 'barewire/protocol';
import type { JsonSchema, Validate } from 'barewire/schema';
import type { Lexemes } from '../json/lexemes.ts';
import type { Answer, ChangeView, QuestionView } from '../messages.ts';
import { PageError } from './failure.ts';
import { faultsOf } from './faults.ts';

type Kind = QuestionView['kind'];
type Body<K extends Kind> = Omit<Extract<QuestionView, { kind: K }>, 'id' | 'server' | 'askedAt' | 'until' | 'kind'>;
type AnswerOf<K extends Kind> = Extract<Answer, { kind: K }>;

interface Open {
  readonly view: QuestionView;
  resolve(answer: Answer): void;
}

export interface QuestionsOptions {
  /** The validator for forms. */
  readonly compile: (schema: JsonSchema) => Validate;
  readonly trusted: (server: string) => boolean;
  /** The call that this signal aborts, if the person pressed a button for it. */
  readonly pressed: (signal: AbortSignal) => PressedCall | undefined;
  /** The deadline for questions of a server; null if unknown. */
  readonly until: (server: string, kind: Kind) => number | null;
  /** The tools of a server that may be asking; [] if another kind of request runs, or nothing. */
  readonly asking: (server: string) => readonly string[];
  /** A form was accepted whose numbers must be sent as they were typed. */
  readonly onExact: (server: string, content: Readonly<Record<string, unknown>>, lexemes: Lexemes) => void;
  readonly model: Model | undefined;
  readonly onQuestion: (question: QuestionView) => void;
  /** `by`: the tab that answered; null: the question was withdrawn. */
  readonly onClosed: (id: string, by: string | null) => void;
}

/** A call that the person started with a button. */
export interface PressedCall {
  readonly lexemes: Lexemes;
  /** Where the arguments come from; undefined: from the person. */
  readonly origin: 'link' | 'file' | undefined;
  /** The digest of the definition that the person saw. */
  digest: string | undefined;
}

/** The most closed questions that are remembered, so that a late answer gets the right error. */
const maxClosed = 1_000;

/** The open questions. Every page sees them, and the first answer counts. */
export class Questions {
  readonly #options: QuestionsOptions;
  readonly #open = new Map<string, Open>();
  readonly #closed = new Map<string, 'answered' | 'withdrawn'>();
  /** Answers that the person wrote in place of a model, and the sampled requests, both by the question's context. */
  readonly #byHand = new WeakMap<object, CreateMessageResult>();
  readonly #sampled = new WeakMap<object, CreateMessageRequestParams>();
  #count = 0;

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  get open(): readonly QuestionView[] {
    return [...this.#open.values()].map(({ view }) => view);
  }

  #ask<K extends Kind>(kind: K, { server, signal }: PersonContext, body: Body<K>): Promise<AnswerOf<K>> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const id = `q${++this.#count}`;
      // The host asks these two itself, not a tool.
      const tools = kind === 'approval' || kind === 'change' ? [] : this.#options.asking(server);
      const view = { ...body, kind, id, server, askedAt: Date.now(), until: this.#options.until(server, kind), ...tools.length > 0 && { tools } } as unknown as QuestionView;
      const stop = (): void => {
        this.#close(id, 'withdrawn', null);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', stop, { once: true });
      this.#open.set(id, {
        view,
        resolve: (answer) => {
          signal.removeEventListener('abort', stop);
          resolve(answer as AnswerOf<K>);
        },
      });
      this.#options.onQuestion(view);
    });
  }

  #close(id: string, how: 'answered' | 'withdrawn', by: string | null): void {
    this.#open.delete(id);
    this.#closed.set(id, how);
    if (this.#closed.size > maxClosed) this.#closed.delete(this.#closed.keys().next().value ?? '');
    this.#options.onClosed(id, by);
  }

  /** Handles the answer of a tab. Throws a `PageError` if it is too late, or invalid; an invalid answer leaves the question open. */
  answer(id: string, answer: Answer, tab: string): void {
    const open = this.#open.get(id);
    if (!open) {
      const how = this.#closed.get(id);
      if (how === 'answered') throw new PageError('answered', 'the question was answered already');
      throw how ? new PageError('withdrawn', 'the question no longer waits for an answer') : new PageError('no-such-question', `there is no question ${id}`);
    }
    this.#check(open.view, answer);
    this.#close(id, 'answered', tab);
    open.resolve(answer);
  }

  #check(question: QuestionView, answer: Answer): void {
    const bad = (message: string, data?: unknown): PageError => new PageError('bad-answer', message, data);
    if (answer?.kind !== question.kind) throw bad(`expected an answer of the kind ${question.kind}`);
    if (answer.kind === 'form' && question.kind === 'form' && answer.action === 'accept') {
      const faults = this.#faults(question.schema as unknown as JsonSchema, answer.content);
      if (faults.length > 0) throw bad('the answer does not fit the form', { faults });
    }
    if (answer.kind === 'sampling' && question.kind === 'sampling' && answer.allow && !question.hasModel && !answer.byHand) {
      throw bad('there is no model here: the answer must be written by hand');
    }
    for (const result of [answer.kind === 'sampling' && answer.allow ? answer.byHand : undefined, answer.kind === 'sampling-answer' && answer.allow ? answer.answer : undefined]) {
      if (result !== undefined && (typeof result.model !== 'string' || typeof result.role !== 'string' || typeof result.content !== 'object')) {
        throw bad('an answer to sampling has role, content and model');
      }
    }
  }

  #faults(schema: JsonSchema, content: unknown): ReturnType<typeof faultsOf> {
    try {
      return faultsOf(this.#options.compile(schema), content);
    } catch {
      // If the schema does not compile here, the client validates the answer.
      return [];
    }
  }

  /** For `HostOptions.person`. */
  readonly person: Person = {
    approve: async ({ server, tool, digest, args, why, origin }: ApprovalRequest, context): Promise<Decision> => {
      const pressed = this.#options.pressed(context.signal);
      const reason = why !== 'default' ? why : origin ?? pressed?.origin ?? (tool.annotations?.destructiveHint === true ? 'destructive' : why);
      const { readOnlyHint = false, destructiveHint = true, idempotentHint = false, openWorldHint = true } = tool.annotations ?? {};
      const answer = await this.#ask('approval', context, {
        tool, args, digest, why: reason, annotations: { readOnlyHint, destructiveHint, idempotentHint, openWorldHint },
        lexemes: pressed?.lexemes ?? {}, annotated: Object.keys(tool.annotations ?? {}).some((name) => name !== 'title'),
        trusted: this.#options.trusted(server),
      });
      return answer.allow === false ? { allow: false, reason: answer.reason ?? 'the person declined' } : { allow: answer.allow };
    },
    acceptChange: async (change: PinChange, context) => {
      const { accept } = await this.#ask('change', context, { change: changeView(change) });
      // For a call that is waiting, this is consent to the new definition.
      const pressed = this.#options.pressed(context.signal);
      if (accept && pressed) pressed.digest = change.digest;
      return accept;
    },
    elicit: async ({ message, requestedSchema }, context): Promise<ElicitAnswer> => {
      const answer = await this.#ask('form', context, { message, schema: requestedSchema });
      if (answer.action !== 'accept') return { action: answer.action };
      this.#options.onExact(context.server, answer.content, answer.lexemes ?? {});
      return { action: 'accept', content: answer.content };
    },
    elicitUrl: async ({ message, url, host }, context): Promise<ElicitAnswer> => ({ action: (await this.#ask('url', context, { message, url, host })).action }),
    samplingRequest: async (params, context): Promise<Consent<CreateMessageRequestParams>> => {
      const answer = await this.#ask('sampling', context, { params, hasModel: this.#options.model !== undefined });
      if (!answer.allow) return { allow: false, reason: answer.reason ?? 'the person declined the request' };
      if (answer.byHand) this.#byHand.set(context, answer.byHand);
      this.#sampled.set(context, answer.params ?? params);
      return { allow: true, ...answer.params && { value: answer.params } };
    },
    samplingAnswer: async (answer, context): Promise<Consent<CreateMessageResult>> => {
      const params = this.#sampled.get(context);
      if (!params) return { allow: false, reason: 'nobody was asked for consent' };
      const shown = await this.#ask('sampling-answer', context, { params, answer });
      if (!shown.allow) return { allow: false, reason: shown.reason ?? 'the person declined the answer' };
      return { allow: true, ...shown.answer && { value: shown.answer } };
    },
  };

  /** For `HostOptions.model`: returns the person's answer, else calls the application's model. */
  readonly model: Model = (params, context) => {
    const byHand = this.#byHand.get(context);
    if (byHand) return Promise.resolve(byHand);
    const { model } = this.#options;
    return model ? model(params, context) : Promise.reject(new Error('there is no model here'));
  };
}

export function changeView({ kind, name, formerly, before, after, diff }: PinChange): ChangeView {
  return { kind: kind === 'renamed' ? 'renamed' : 'changed', name, formerly: formerly ?? null, before: before ?? null, after: after ?? null, diff };
}
