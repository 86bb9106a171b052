import { chapters } from './chapters.ts';
import { address, judge } from './chapter.ts';
import type { Chapter, Verdict } from './chapter.ts';
import { Desk } from './desk.ts';
import type { DeskOptions } from './desk.ts';
import { splitCommand } from './program.ts';
import { exam, suite } from './exam.ts';
import { visible } from '../../src/explain/index.ts';

// npm run course -- CHAPTER "COMMAND": runs the reader's program against the checks of a chapter.

const usage = `usage: npm run course -- CHAPTER "COMMAND" [--all] [--wait MS]
  CHAPTER  1 to ${chapters.length}; all: every chapter; exam: every chapter, the transcripts, and the official suite; left out: lists them
  COMMAND  how your program is started, such as "python my.py"; the checker adds what the chapter says
  --all    goes on after the first fault
  --wait   milliseconds that your program may take to start (20000); each message after that may take a quarter of it`;

/** Runs a chapter and tells of it. True where nothing is wrong. */
async function runChapter(chapter: Chapter, options: DeskOptions, goOn: boolean): Promise<boolean> {
  console.log(`chapter ${chapter.number}: ${chapter.title}`);
  let good = true;
  for (const one of chapter.checks) {
    const verdict = await judge(one, new Desk(options));
    console.log(`  ${verdict.fault ? 'FAIL' : 'ok  '}  ${one.title}`);
    if (!verdict.fault) continue;
    good = false;
    tell(verdict);
    if (!goOn) break;
  }
  return good;
}

function tell({ fault, passed, before, check, life }: Verdict): void {
  if (life) console.log(`        started   ${visible(life.command)}`);
  if (before > 0) console.log(`        … (${before} before)`);
  for (const { direction, text } of passed) console.log(`        ${direction} ${visible(text.slice(0, 400))}`);
  console.log(`        expected  ${visible(fault?.expected ?? '')}`);
  console.log(`        came      ${visible(fault?.came ?? '')}`);
  if (life?.obituary !== undefined && fault?.came.includes(life.obituary) === false) console.log(`        and       ${life.obituary}`);
  if (life && life.complaints.trim() !== '') {
    console.log('        stderr');
    for (const line of life.complaints.trimEnd().split(/\r?\n/)) console.log(`          ${visible(line.replaceAll('\t', '  '))}`);
  }
  console.log(`        read      ${check.section}\n                  ${address(check.section)}`);
}

async function main(): Promise<number> {
  const words = process.argv.slice(2);
  const goOn = words.includes('--all');
  const at = words.indexOf('--wait');
  const startMs = at < 0 ? 20_000 : Number(words.splice(at, 2)[1]);
  const [which, command = '', ...rest] = words.filter((word) => word !== '--all');
  if (which === undefined) {
    for (const { number, title, checks } of chapters) console.log(`${String(number).padStart(2)}  ${title} (${checks.length} checks)`);
    console.log(usage);
    return 0;
  }
  const chosen = which === 'all' || which === 'exam' ? chapters : chapters.filter(({ number }) => String(number) === which);
  if (chosen.length === 0 || command === '' || rest.length > 0 || !(startMs > 0)) {
    console.error(usage);
    return 2;
  }
  const options: DeskOptions = { command: splitCommand(command), startMs, patienceMs: Math.max(500, startMs / 4) };
  let good = true;
  for (const chapter of chosen) {
    good = await runChapter(chapter, options, goOn) && good;
    if (!good && !goOn) return 1;
  }
  if (which === 'exam') {
    good = await runChapter(exam, options, goOn) && good;
    good = await suite(options.command) && good;
  }
  console.log(good ? (which === 'exam' ? '\nYou have written a client and a server of the Model Context Protocol.' : '\nAll of it.') : '\nNot yet.');
  return good ? 0 : 1;
}

process.exitCode = await main();
