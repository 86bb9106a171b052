import type { Scene } from './scene.ts';
import { batches, lostSession, resumed, session, streams } from './scenes/http.ts';
import { headers, oddRefusal, rounds } from './scenes/modern.ts';
import { onlyTools, otherVersion, pages, plain, stray } from './scenes/plain.ts';
import { questions } from './scenes/questions.ts';
import { authorized, moved, otherIssuer, withoutMetadata, withoutPkce, wrongIss } from './scenes/authorization.ts';
import { slow } from './scenes/slow.ts';
import { stays } from './scenes/stays.ts';
import { taskQuestions, taskTools } from './scenes/tasks.ts';
import { httpSse, longCache, lostCall, noType, references, unknowns, unknownType } from './scenes/unusual.ts';

/** All scenes; those that show which revisions a client speaks come first. */
export const scenes: readonly Scene[] = [
  plain, httpSse, onlyTools, otherVersion, pages, stray, questions, session, lostSession, streams, resumed, batches, rounds, headers, oddRefusal, taskTools, taskQuestions,
  unknowns, unknownType, noType, longCache, lostCall, references, authorized, moved, withoutPkce, otherIssuer, wrongIss, withoutMetadata, slow, stays,
];
