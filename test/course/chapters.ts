import type { Chapter } from './chapter.ts';
import { oneLine } from './chapters/01-one-line.ts';
import { whatGoesWrong } from './chapters/02-what-goes-wrong.ts';
import { theHandshake } from './chapters/03-the-handshake.ts';
import { tools } from './chapters/04-tools.ts';
import { twoKindsOfFailure } from './chapters/05-two-kinds-of-failure.ts';
import { workThatTakesTime } from './chapters/06-work-that-takes-time.ts';
import { theOtherSide } from './chapters/07-the-other-side.ts';
import { askedInTurn } from './chapters/08-asked-in-turn.ts';
import { aServerOverHttp } from './chapters/09-a-server-over-http.ts';
import { aClientOverHttp } from './chapters/10-a-client-over-http.ts';
import { withoutAHandshake } from './chapters/11-without-a-handshake.ts';
import { bothEras } from './chapters/12-both-eras.ts';

/** The course, in order. */
export const chapters: readonly Chapter[] = [
  oneLine, whatGoesWrong, theHandshake, tools, twoKindsOfFailure, workThatTakesTime,
  theOtherSide, askedInTurn, aServerOverHttp, aClientOverHttp, withoutAHandshake, bothEras,
];
