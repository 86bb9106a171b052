import type { Revision } from '../../protocol/index.ts';
import type { SeenMembers, Received, Visit } from './visit.ts';
import type { ClientWay, HiddenRequest } from './port.ts';

/** What a hidden server offers. */
export interface HiddenOffer {
  readonly capabilities: SeenMembers;
  readonly tools: readonly SeenMembers[];
  readonly resources: readonly SeenMembers[];
  readonly templates: readonly SeenMembers[];
  readonly prompts: readonly SeenMembers[];
}

/** What one scene knows of its visit. */
export interface Play {
  readonly visit: Visit;
  readonly offer: HiddenOffer;
  /** What the scene keeps for itself: by any name. */
  readonly notes: Map<string, unknown>;
  /** The methods that the client has sent to the plain server of this revision. */
  readonly usual: ReadonlySet<string>;
  /** The tools that the client has called at the plain server of this revision. */
  readonly called: ReadonlySet<string>;
  /** Has the plain server answer a message. */
  serve(message: Received): void;
}

/**
 * One hidden server: how it differs from the plain one, and what it looks at when the visit is over. What it does not answer
 * itself the plain server answers.
 */
export interface Scene {
  /** For people who wait, and for the report. */
  readonly name: string;
  /** The ids of the rules that only this scene may show. */
  readonly rules: readonly string[];
  /** Whether it is played in a revision. It is played only in revisions that the client has shown to speak, unless it is `first`. */
  suits(revision: Revision, way: ClientWay): boolean;
  /** It shows which revisions the client speaks. */
  readonly first?: boolean | undefined;
  /** Whether the hidden server stays when the client closes its input, and on SIGTERM. */
  readonly stays?: boolean | undefined;
  /** What it offers instead of the plain offer. */
  offer?(revision: Revision): Partial<HiddenOffer>;
  /** Answers a message itself: true. */
  answer?(play: Play, message: Received): boolean;
  /** Answers an HTTP request itself: true. */
  answerHttp?(play: Play, request: HiddenRequest): boolean;
  /** Looks at what has passed. */
  after?(play: Play): void;
}
