import type { ElicitAnswer } from '../client/index.ts';
import type {
  CreateMessageRequestParams, CreateMessageResult, ElicitRequestFormParams, ElicitRequestURLParams, Tool,
} from '../protocol/index.ts';
import type { Reach } from './approvals.ts';
import type { PinChange } from './pins.ts';
import type { SkillRequest } from './skills.ts';

/** A call that waits for a person's consent: exactly what will be sent. */
export interface ApprovalRequest {
  readonly server: string;
  readonly tool: Tool;
  readonly digest: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly principal: string;
  /** An app asks for the call (barewire/apps). Undefined: the model or the application does. */
  readonly origin?: 'app';
  /**
   * The reason for the question: a rule, the default, a tool that changed while it was shown, or an answer that came
   * too late.
   */
  readonly why: 'rule' | 'default' | 'changed-while-shown' | 'too-late';
}

/** The person's decision. `by` names the person, for the activity log. */
export type Decision =
  | { readonly allow: Reach; readonly by?: string }
  | { readonly allow: false; readonly reason?: string; readonly by?: string };

/** A person's answer to a request that they may edit. */
export type Consent<T> = { readonly allow: true; readonly value?: T } | { readonly allow: false; readonly reason?: string };

/** The context of every question to the person. */
export interface PersonContext {
  /** The server that asks, by its name in the configuration. */
  readonly server: string;
  /** Fires when the answer is no longer wanted. */
  readonly signal: AbortSignal;
}

/**
 * The person in front of the application, as functions that the application provides. A missing function refuses:
 * without `approve`, only calls that a rule allows run.
 */
export interface Person {
  /** A call waits for a decision. */
  approve?(request: ApprovalRequest, context: PersonContext): Promise<Decision>;
  /** A pinned tool has changed. True accepts its current definition. */
  acceptChange?(change: PinChange, context: PersonContext): Promise<boolean>;
  /** A skill waits to be loaded. Show its server, its description, and that its text will steer the model. */
  approveSkill?(request: SkillRequest, context: PersonContext): Promise<Decision>;
  /** A form, from the server named in the context. */
  elicit?(question: ElicitRequestFormParams, context: PersonContext): Promise<ElicitAnswer>;
  /** A page to visit. `host` is the URL's host, to show next to the whole URL. Do not open it without consent. */
  elicitUrl?(question: ElicitRequestURLParams & { readonly host: string }, context: PersonContext): Promise<ElicitAnswer>;
  /** The server's request to the model; `value` is the request as the person edited it. */
  samplingRequest?(params: CreateMessageRequestParams, context: PersonContext): Promise<Consent<CreateMessageRequestParams>>;
  /** The model's answer, before the server receives it. */
  samplingAnswer?(answer: CreateMessageResult, context: PersonContext): Promise<Consent<CreateMessageResult>>;
}
