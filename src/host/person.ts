import type { ElicitAnswer } from '../client/index.ts';
import type { ElicitRequestFormParams, ElicitRequestURLParams } from '../protocol/elicitation.ts';
import type { CreateMessageRequestParams, CreateMessageResult } from '../protocol/sampling.ts';
import type { Tool } from '../protocol/tools.ts';
import type { Reach } from './approvals.ts';
import type { PinChange } from './pins.ts';

/** A call that waits for a person's consent: exactly what will be sent. */
export interface ApprovalRequest {
  readonly server: string;
  readonly tool: Tool;
  readonly digest: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly principal: string;
  /** Why it is asked: by a rule, by default, because the tool changed while it was shown, or the answer came too late. */
  readonly why: 'rule' | 'default' | 'changed-while-shown' | 'too-late';
}

/** What the person decided. `by` names who decided, for the activity log. */
export type Decision =
  | { readonly allow: Reach; readonly by?: string }
  | { readonly allow: false; readonly reason?: string; readonly by?: string };

/** A person's answer to something that may be edited. */
export type Consent<T> = { readonly allow: true; readonly value?: T } | { readonly allow: false; readonly reason?: string };

/** What every question to the person comes with. */
export interface PersonContext {
  /** The server that asks, by its name in the configuration. */
  readonly server: string;
  /** Fires when the answer is no longer wanted. */
  readonly signal: AbortSignal;
}

/**
 * The person in front of the application, as functions that the application provides. What is missing is refused:
 * without `approve` nothing runs that no rule allows.
 */
export interface Person {
  /** A call waits for a decision. */
  approve?(request: ApprovalRequest, context: PersonContext): Promise<Decision>;
  /** A pinned tool is not what it was. True accepts it as it is now. */
  acceptChange?(change: PinChange, context: PersonContext): Promise<boolean>;
  /** A form, from the server named in the context. */
  elicit?(question: ElicitRequestFormParams, context: PersonContext): Promise<ElicitAnswer>;
  /** A page to visit. `host` is the URL's host, to be shown beside the whole URL. Open nothing without consent. */
  elicitUrl?(question: ElicitRequestURLParams & { readonly host: string }, context: PersonContext): Promise<ElicitAnswer>;
  /** What the server wants the model to be asked; `value` is the request as the person edited it. */
  samplingRequest?(params: CreateMessageRequestParams, context: PersonContext): Promise<Consent<CreateMessageRequestParams>>;
  /** What the model answered, before the server sees it. */
  samplingAnswer?(answer: CreateMessageResult, context: PersonContext): Promise<Consent<CreateMessageResult>>;
}
