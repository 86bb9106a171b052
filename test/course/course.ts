import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chapters } from './chapters.ts';
import { judge } from './chapter.ts';
import type { Chapter, Verdict } from './chapter.ts';
import { Desk } from './desk.ts';
import type { DeskOptions } from './desk.ts';
import { splitCommand } from './program.ts';
import { visible } from '../../src/explain/index.ts';
import { sectionAddress } from '../../src/judge/rules.ts';

// The course as a command: checks the reader's program against a chapter.

/** Settings of the command that started the course. */
export interface Started {
  /** The words before the chapter, for the usage text. */
  readonly typed: string;
  /** The exam. It needs the transcripts and the official suite of a clone. */
  readonly exam?: { readonly chapter: Chapter; suite(command: readonly string[]): Promise<boolean> };
  /** The folder of the chapters' texts; undefined if the reader has them. */
  readonly texts?: string;
}

const usageOf = ({ typed, exam, texts }: Started): string => `usage: ${typed} CHAPTER "COMMAND" [--all] [--wait MS]
${texts === undefined ? '' : `       ${typed} read CHAPTER\n`}  CHAPTER  1 to ${chapters.length}; all: every chapter; ${exam ? 'exam: every chapter, the transcripts, and the official suite; ' : ''}left out: lists them
  COMMAND  how your program is started, such as "python my.py"; the checker adds what the chapter says
  --all    goes on after the first fault
  --wait   milliseconds that your program may take to start (20000); each message after that may take a quarter of it`;

/** Runs a chapter and reports it. Returns true if there is no fault. */
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
  const { rule, section } = check;
  if (rule) console.log(`        rule      ${rule.id}, ${rule.level}: ${rule.text}`);
  const [revision = '', place = ''] = section.split(' ');
  console.log(`        read      ${section}\n                  ${sectionAddress(revision, place)}`);
}

/** Prints the text of a chapter, or of the introduction. False if there is no such chapter. */
function read(folder: string, which: string | undefined): boolean {
  const name = which === undefined ? 'README.md' : readdirSync(folder).find((file) => file.startsWith(`${which.padStart(2, '0')}-`));
  if (name !== undefined) console.log(readFileSync(join(folder, name), 'utf8'));
  return name !== undefined;
}

/** Runs the course. Resolves with the exit code: 0 without a fault, 1 if the program fails, 2 for wrong arguments. */
export async function course(given: readonly string[], started: Started): Promise<number> {
  const words = [...given];
  const usage = usageOf(started);
  const goOn = words.includes('--all');
  const at = words.indexOf('--wait');
  const startMs = at < 0 ? 20_000 : Number(words.splice(at, 2)[1]);
  const [which, command = '', ...rest] = words.filter((word) => word !== '--all');
  if (which === undefined || which === '--help') {
    for (const { number, title, checks } of chapters) console.log(`${String(number).padStart(2)}  ${title} (${checks.length} checks)`);
    console.log(usage);
    return 0;
  }
  if (which === 'read' && started.texts !== undefined && rest.length === 0 && read(started.texts, words[1])) return 0;
  if (which === 'exam' && !started.exam) {
    console.error('The exam plays transcripts and the official suite, which a clone has: npm run course -- exam "COMMAND"');
    return 2;
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
  if (which === 'exam' && started.exam) {
    good = await runChapter(started.exam.chapter, options, goOn) && good;
    good = await started.exam.suite(options.command) && good;
  }
  console.log(good ? (which === 'exam' ? '\nYou have written a client and a server of the Model Context Protocol.' : '\nAll of it.') : '\nNot yet.');
  return good ? 0 : 1;
}
