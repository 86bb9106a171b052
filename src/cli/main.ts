#!/usr/bin/env node
import { answersOf } from './answers.ts';
import { help, readOptions } from './options.ts';
import type { Options } from './options.ts';
import { jsonReporter, quietReporter, watchReporter } from './reporter.ts';
import type { Reporter } from './reporter.ts';
import { describeTarget, openTarget, temporaryRoot, travelTarget } from './target.ts';
import type { Target } from './target.ts';
import { style, wantsColour } from './terminal.ts';
import { tour } from './tour.ts';
import type { TourOptions } from './tour.ts';
import { count } from '../explain/words.ts';

/** How long a form waits for a person who may have gone: from the last key on. */
const patienceMs = 45_000;

/** Between two steps, for eyes that follow. */
const paceMs = 150;

/** What the second walk through the travel agency shows: what the eras do differently. */
const bothEras: readonly (Pick<TourOptions, 'era' | 'only'> & { title: string })[] = [
  { title: 'The handshake era (to 2025-11-25): one session, questions in both directions', era: 'legacy' },
  {
    title: 'The stateless era (from 2026-07-28): the same server, each request on its own',
    era: 'modern',
    only: ['book_trip', 'add_to_calendar', 'pick_best_flight'],
  },
];

async function run(options: Options, target: Target, own: boolean): Promise<boolean> {
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const colours = style(options.colour ?? wantsColour(process.env, process.stdout.isTTY));
  const columns = options.full ? Infinity : process.stdout.columns ?? 120;
  const reporter: Reporter = options.output === 'json' ? jsonReporter(print)
    : options.output === 'quiet' ? quietReporter({ print, style: colours, columns })
      : watchReporter({ print, style: colours, columns });
  const person = {
    present: options.output === 'watch' && !options.yes && process.stdin.isTTY && process.stdout.isTTY,
  };
  const { root, remove } = temporaryRoot();
  process.once('exit', remove);

  const walks = own && options.revision === undefined
    ? bothEras
    : [{ title: `The tour of ${describeTarget(target)}` }];
  const began = performance.now();
  const done = [];
  for (const { title, ...walk } of walks) {
    const result = await tour({
      ...walk,
      title,
      ...options.revision !== undefined && { revisions: [options.revision] },
      reporter,
      transport: (trace) => openTarget(target, trace, (line) => reporter.stderr(line)),
      answers: (hooks) => answersOf({
        ...hooks, person, style: colours, note: (text) => reporter.note(text), patienceMs,
      }),
      roots: [root],
      timeoutMs: options.timeoutMs,
      paceMs: options.output === 'watch' && process.stdout.isTTY && !options.fast ? paceMs : 0,
    });
    done.push({ title, ...result });
  }
  for (const { title, rows } of done) reporter.summary(title, rows);
  const ok = done.every((one) => one.ok);
  const messages = count(done.reduce((sum, one) => sum + one.messages, 0), 'message');
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  reporter.end(ok, ok
    ? `All went well: ${messages} in ${seconds} s.`
    : `Not all went well: see what failed above. ${messages} in ${seconds} s.`);
  remove();
  return ok;
}

/** Ends the process once everything is written; children that are left are ended at exit. */
function finish(code: number): void {
  process.stdout.write('', () => process.exit(code));
}

const options = readOptions(process.argv.slice(2));
// A reader that has seen enough (`head`) is no failure of ours.
process.stdout.on('error', () => process.exit(0));
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

if ('help' in options) {
  process.stdout.write(`${help}\n`);
} else if ('problem' in options) {
  process.stderr.write(`barewire: ${options.problem}\n\n${help}\n`);
  process.exitCode = 2;
} else {
  const target = options.target ?? travelTarget();
  if (target === undefined) {
    process.stdout.write(`${help}\n`);
  } else {
    run(options, target, options.target === undefined).then(
      (ok) => finish(ok ? 0 : 1),
      (error: unknown) => {
        process.stderr.write(`barewire: ${error instanceof Error ? error.stack : String(error)}\n`);
        finish(1);
      },
    );
  }
}
