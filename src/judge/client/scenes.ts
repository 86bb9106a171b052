import type { Scene } from './scene.ts';
import { batches, lostSession, resumed, session, streams } from './scenes/http.ts';
import { headers, notDeclared, oddRefusal, rounds } from './scenes/modern.ts';
import { malformed, twoAnswers } from './scenes/malformed.ts';
import { onlyTools, otherVersion, pages, plain, stray } from './scenes/plain.ts';
import { questions } from './scenes/questions.ts';
import { authorized, moved, otherIssuer, redirected, withoutMetadata, withoutPkce, wrongIss } from './scenes/authorization.ts';
import { slow } from './scenes/slow.ts';
import { stays } from './scenes/stays.ts';
import { taskQuestions, taskTools } from './scenes/tasks.ts';
import { httpSse, longCache, lostCall, noType, references, unknowns, unknownType } from './scenes/unusual.ts';

/** All scenes. First those that show which revisions a client speaks. */
export const scenes: readonly Scene[] = [
  plain, httpSse, onlyTools, otherVersion, pages, stray, malformed, twoAnswers, questions, session, lostSession, streams, resumed, batches, rounds, notDeclared, headers, oddRefusal, taskTools, taskQuestions,
  unknowns, unknownType, noType, longCache, lostCall, references, authorized, redirected, moved, withoutPkce, otherIssuer, wrongIss, withoutMetadata, slow, stays,
];
