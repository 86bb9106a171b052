import { systemClock } from '../../bounds/clock.ts';
import { answersOf } from '../answers.ts';
import type { Command } from '../command.ts';
import { exitCodes, WrongUse } from '../exit-codes.ts';
import { help, readOptions } from '../options.ts';
import type { Options } from '../options.ts';
import { openPrompter } from '../../host/node/prompter.ts';
import { jsonReporter, quietReporter, watchReporter } from '../reporter.ts';
import type { ExplainedMessage, Reporter } from '../reporter.ts';
import { askConsent } from '../ask-consent.ts';
import { whyHidden } from '../offered-tools.ts';
import { rulesOf } from '../rules-file.ts';
import { linesTo } from '../../host/node/lines.ts';
import { describeTarget, named, openTarget, serveTravel, temporaryRoot, travelTarget } from '../target.ts';
import type { Target } from '../target.ts';
import { style, wantsColour } from '../../host/node/style.ts';
import { tour } from '../tour.ts';
import type { TourOptions, TourResult } from '../tour.ts';
import { count } from '../../explain/words.ts';
import type { CommandProcess } from '../command-process.ts';

/** Milliseconds after the last key until a person counts as absent. */
const patienceMs = 45_000;

/** Pause in milliseconds between two steps, so that a person can follow. */
const paceMs = 150;

/** The walks through the travel agency. The second shows only the tools that behave differently in the other era. */
const bothEras: readonly (Pick<TourOptions, 'era' | 'only'> & { title: string })[] = [
  { title: 'The handshake era (to 2025-11-25): one session, questions in both directions', era: 'legacy' },
  {
    title: 'The stateless era (from 2026-07-28): the same server, each request on its own',
    era: 'modern',
    only: ['book_trip', 'add_to_calendar', 'pick_best_flight'],
  },
];

/** Tools of the travel agency that the tour may call: all but the one that deletes a booking. 2024-11-05 lacks annotations for this. */
const harmless = ({ name }: { readonly name: string }): boolean => name !== 'cancel_trip';

async function run(proc: CommandProcess, options: Options, target: Target, own: boolean): Promise<boolean> {
  const print = options.output === 'json' ? (line: string): void => void proc.stdout.write(`${line}\n`) : linesTo(proc.stdout);
  const colours = style(options.colour ?? wantsColour(proc.env, proc.stdout.isTTY === true));
  const columns = options.full ? Infinity : proc.stdout.columns || 120;
  const shown: Reporter = options.output === 'json' ? jsonReporter(print)
    : options.output === 'quiet' ? quietReporter({ print, style: colours, columns })
      : watchReporter({ print, style: colours, columns });
  // The messages since the last key, for a user who unfolds them.
  const recent: ExplainedMessage[] = [];
  const reporter: Reporter = !options.step ? shown : {
    ...shown,
    message(message) {
      recent.push(message);
      shown.message(message);
    },
  };
  const unfold = (): void => {
    const whole = watchReporter({ print, style: colours, columns: Infinity });
    for (const message of recent) whole.message(message);
  };
  const atTerminal = options.output === 'watch' && proc.stdin.isTTY === true && proc.stdout.isTTY === true;
  const person = { present: atTerminal && !options.defaults };
  const { root, remove } = temporaryRoot();

  const walks = own && options.revision === undefined
    ? bothEras
    : [{ title: `The tour of ${describeTarget(target)}` }];
  const rules = target.kind === 'configured' ? rulesOf(undefined, proc.env) : [];
  const began = systemClock.monotonic();
  const done: (TourResult & { readonly title: string })[] = [];
  for (const { title, ...walk } of walks) {
    const result = await tour({
      ...walk,
      title,
      ...options.revision !== undefined && { revisions: [options.revision] },
      reporter,
      transport: (trace) => openTarget(proc.env, target, trace, (line) => reporter.stderr(line), options.http),
      answers: (hooks) => answersOf({
        ...hooks, person, style: colours, terminal: { input: proc.stdin, output: proc.stdout }, onInterrupt: () => proc.exit(exitCodes.interrupted), note: (text) => reporter.note(text), patienceMs,
        // The example's forms are our own, so without a person they get their defaults.
        defaults: options.defaults || own,
      }),
      consent: {
        all: options.yes, allowed: options.allowed, strict: options.strict,
        ...own && { own: harmless },
        ...atTerminal && {
          ask: async (tool, args) => {
            reporter.pause();
            const prompter = openPrompter(proc.stdin, proc.stdout, () => proc.exit(exitCodes.interrupted));
            try {
              return await askConsent(prompter, colours, describeTarget(target), tool, args);
            } finally {
              prompter.close();
              reporter.resume();
            }
          },
        },
      },
      whyHidden: (tool) => (target.kind === 'configured' ? whyHidden({ server: target.server, name: target.name, targetName: target.name }, rules, tool) : undefined),
      ...options.step && atTerminal && { afterExchange: stepper(proc, print, colours.dim, recent, unfold) },
      roots: [root],
      timeoutMs: options.timeoutMs,
      paceMs: options.output === 'watch' && proc.stdout.isTTY && !options.fast ? paceMs : 0,
    });
    done.push({ title, ...result });
  }
  for (const { title, rows } of done) reporter.summary(title, rows);
  const ok = done.every((one) => one.ok);
  const sum = (of: (one: (typeof done)[number]) => number): number => done.reduce((all, one) => all + of(one), 0);
  const errors = sum(({ errors: some }) => some);
  const messages = count(sum((one) => one.messages), 'message');
  const seconds = ((systemClock.monotonic() - began) / 1000).toFixed(1);
  const said = !ok ? 'Not all went well: see what failed above.'
    : errors > 0 ? `Every step was answered, and ${count(errors, 'call')} came back as ${errors === 1 ? 'an error' : 'errors'}.`
      : 'All went well.';
  reporter.end(ok, `${said} ${messages} in ${seconds} s.`);
  remove();
  return ok;
}

/** Returns a function that waits for a key, until the user presses `c` or the input ends. */
function stepper(proc: CommandProcess, print: (line: string) => void, dim: (text: string) => string, recent: unknown[], unfold: () => void): () => Promise<void> {
  let waits = true;
  return async () => {
    while (waits) {
      print(dim('   any key goes on; u unfolds what was said, c goes on without waiting, q ends'));
      const { stdin } = proc;
      stdin.setRawMode?.(true);
      stdin.resume();
      const key = await nextKey(stdin);
      stdin.setRawMode?.(false);
      stdin.pause();
      // Raw mode reports Ctrl-C as an ordinary key.
      if (key === '\u0003') proc.exit(exitCodes.interrupted);
      if (key.startsWith('q')) proc.exit(exitCodes.good);
      if (key.startsWith('c')) waits = false;
      if (!key.startsWith('u')) break;
      unfold();
    }
    recent.length = 0;
  };
}

/** The next key; `c` if the input has ended or ends, because nobody can press a key then. */
function nextKey(stdin: CommandProcess['stdin']): Promise<string> {
  return new Promise((resolve) => {
    const events = ['data', 'end', 'error', 'close'];
    const settle = (key?: unknown): void => {
      for (const event of events) stdin.off(event, settle);
      resolve(key instanceof Uint8Array ? key.toString() : 'c');
    };
    if (stdin.readableEnded || stdin.destroyed) settle();
    else for (const event of events) stdin.on(event, settle);
  });
}

export const command: Command = {
  usage: '[options] PROGRAM [ARGUMENTS] | ADDRESS',
  about: 'Shows a server at work, message by message, each explained with its section of the specification.',
  options: [],
  example: 'barewire tour npx -y @modelcontextprotocol/server-everything',
  notes: help.split('\n').slice(2),
  async run(words, proc) {
    const options = readOptions(words);
    if ('help' in options) {
      proc.stdout.write(`${help}\n`);
      return exitCodes.good;
    }
    if (!('output' in options)) throw new WrongUse('problem' in options ? options.problem : options.word);
    const example = options.target ? undefined : travelTarget();
    const target = options.target ? await named(proc, options.target) : example;
    if (target === undefined) {
      proc.stdout.write(`${help}\n`);
      return exitCodes.good;
    }
    proc.once('SIGINT', () => proc.exit(exitCodes.interrupted));
    proc.once('SIGTERM', () => proc.exit(143));
    const served = options.http && example ? await serveTravel(example) : undefined;
    try {
      return await run(proc, options, served?.target ?? target, options.target === undefined) ? exitCodes.good : exitCodes.failed;
    } finally {
      served?.stop();
    }
  },
};
