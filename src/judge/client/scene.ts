import type { Revision } from '../../protocol/index.ts';
import type { SeenMembers, Received, Visit } from './visit.ts';
import type { ClientWay, HiddenRequest } from './port.ts';

/** The offer of a hidden server. */
export interface HiddenOffer {
  readonly capabilities: SeenMembers;
  readonly tools: readonly SeenMembers[];
  readonly resources: readonly SeenMembers[];
  readonly templates: readonly SeenMembers[];
  readonly prompts: readonly SeenMembers[];
}

/** The state of one scene in its visit. */
export interface Play {
  readonly visit: Visit;
  readonly offer: HiddenOffer;
  /** The scene's notes, by any name. */
  readonly notes: Map<string, unknown>;
  /** The methods that the client has sent to the plain server of this revision. */
  readonly usual: ReadonlySet<string>;
  /** The tools that the client has called at the plain server of this revision. */
  readonly called: ReadonlySet<string>;
  /** Lets the plain server answer a message. */
  serve(message: Received): void;
}

/**
 * One hidden server: its differences from the plain server, and its checks after the visit. The plain server answers everything that the
 * scene does not answer.
 */
export interface Scene {
  /** For progress output and for the report. */
  readonly name: string;
  /** Ids of the rules that only this scene may show. */
  readonly rules: readonly string[];
  /** Whether it is played in a revision. Unless it is `first`, it is played only in revisions that the client speaks. */
  suits(revision: Revision, way: ClientWay): boolean;
  /** Whether it is played first, to find the revisions that the client speaks. */
  readonly first?: boolean | undefined;
  /** Whether the hidden server keeps running when the client closes its input, and on SIGTERM. */
  readonly stays?: boolean | undefined;
  /** Overrides parts of the plain offer. */
  offer?(revision: Revision): Partial<HiddenOffer>;
  /** Answers a message and returns true, or leaves it to the plain server. */
  answer?(play: Play, message: Received): boolean;
  /** Answers an HTTP request and returns true, or leaves it to the plain server. */
  answerHttp?(play: Play, request: HiddenRequest): boolean;
  /** Judges the visit after its end. */
  after?(play: Play): void;
}
