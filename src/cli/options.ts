import { revisions } from '../explain/phrases.ts';
import { didYouMean } from './near-miss.ts';
import { isSocket, socketPath } from './socket-target.ts';
import type { Target } from './target.ts';

/** The options of the tour's command line. */
export interface Options {
  readonly target: Target | undefined;
  readonly output: 'watch' | 'quiet' | 'json';
  readonly revision: string | undefined;
  /** Consents to every call. */
  readonly yes: boolean;
  /** Consents to calls of tools with these names; `*` matches any characters. */
  readonly allowed: readonly string[];
  /** Does not trust annotations that a tool only reads. */
  readonly strict: boolean;
  /** Forms get their defaults, and nobody is asked. */
  readonly defaults: boolean;
  /** Undefined: the environment decides. */
  readonly colour: false | undefined;
  /** No pauses between the steps. */
  readonly fast: boolean;
  /** Waits for a key after each exchange. */
  readonly step: boolean;
  /** Messages are printed in full. */
  readonly full: boolean;
  /** Shows the HTTP heads and events too. The example is then served over HTTP. */
  readonly http: boolean;
  readonly timeoutMs: number;
}

export const help: string = `Shows a server of the Model Context Protocol at work, message by message.

  barewire tour [options] PROGRAM [ARGUMENTS]   starts a server, and speaks with it over its standard streams
  barewire tour [options] http://HOST/PATH      speaks with a server over HTTP
  barewire tour [options] unix:/PATH            speaks with a server over a Unix socket
  barewire tour [options]                       in the repository: the travel agency of examples/, in both eras

Without "tour" a program follows "--": barewire [options] -- PROGRAM [ARGUMENTS].

  --revision X   uses this revision of the protocol: ${revisions.join(', ')}
  --yes          consents to every call
  --allow NAME   consents to calls of this tool; * is any run of characters; may be given again
  --strict       does not trust a server that says a tool only reads
  --defaults     fills in forms with their defaults, without asking
  --quiet        prints only the table at the end
  --json         prints each message and each result as a line of JSON
  --fast         does not pause between the steps; only for a person at a terminal there are pauses
  --step         waits for a key after each exchange: u unfolds its messages, q ends, c goes on without waiting
  --full         prints whole messages; a long one gets a line for each member
  --http         shows requests, responses, header fields and events too, of an address; the example is then
                 served over HTTP
  --no-color     prints without colour, as does NO_COLOR in the environment
  --timeout N    seconds of silence after which a request counts as unanswered; 60
  --help         prints this

A tool is called only with consent, except where the server says that it only reads: at a terminal you are asked,
elsewhere it is listed as not called. It ends with 0 if all that the server offers works.`;

const flags: readonly string[] = [
  '--revision', '--yes', '--allow', '--strict', '--defaults', '--quiet', '--json', '--fast', '--step', '--full', '--http', '--no-color', '--timeout', '--help',
];

/** Those with a value. */
const valued: readonly string[] = ['--revision', '--allow', '--timeout'];

/** A wrong command line; `word`: an unknown command that may be a program without `--`. */
export type OptionProblem = { readonly problem: string } | { readonly word: string };

/**
 * Parses the command line of the tour. Everything after the first word that is not an option belongs to the server.
 * `bare`: no command precedes the words. Then the first word must be an address or stand after `--`.
 */
export function readOptions(words: readonly string[], bare: boolean = false): Options | { readonly help: true } | OptionProblem {
  const options: { -readonly [K in keyof Options]: Options[K] } = {
    target: undefined, output: 'watch', revision: undefined, yes: false, allowed: [], strict: false, defaults: false, colour: undefined, fast: false, step: false,
    full: false, http: false, timeoutMs: 60_000,
  };
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') {
      at++;
      break;
    }
    if (!word.startsWith('-')) break;
    const [flag = '', inline] = word.split(/=(.*)/s, 2);
    // `--yes=false` must not consent to every call.
    if (inline !== undefined && !valued.includes(flag) && flags.includes(flag)) return { problem: `${flag} takes no value` };
    // As in the other commands, `--allow --yes` is a missing value, and not a tool called --yes.
    const value = (): string | undefined => inline ?? (words[at + 1]?.startsWith('-') ? undefined : words[++at]);
    switch (flag) {
      case '--help': case '-h': return { help: true };
      case '--json': options.output = 'json'; break;
      case '--quiet': case '-q': options.output = 'quiet'; break;
      case '--yes': case '-y': options.yes = true; break;
      case '--strict': options.strict = true; break;
      case '--defaults': options.defaults = true; break;
      case '--allow': {
        const pattern = value();
        if (pattern === undefined || pattern === '') return { problem: '--allow takes the name of a tool' };
        options.allowed = [...options.allowed, pattern];
        break;
      }
      case '--fast': options.fast = true; break;
      case '--step': options.step = true; break;
      case '--full': options.full = true; break;
      case '--http': options.http = true; break;
      case '--no-color': options.colour = false; break;
      case '--revision': {
        const revision = value();
        if (revision === undefined || !revisions.includes(revision)) {
          return { problem: `--revision takes one of ${revisions.join(', ')}` };
        }
        options.revision = revision;
        break;
      }
      case '--timeout': {
        const seconds = Number(value());
        if (!(seconds > 0 && seconds <= 86_400)) return { problem: '--timeout takes a number of seconds' };
        options.timeoutMs = seconds * 1000;
        break;
      }
      default: return { problem: `there is no option ${flag}${didYouMean(flag, flags)}` };
    }
  }
  const [command, ...args] = words.slice(at);
  if (command === undefined) return options;
  if (isSocket(command) || /^https?:\/\//i.test(command)) {
    if (isSocket(command)) {
      socketPath(command);
      if (options.http) return { problem: `--http is for an address, and ${command} is a socket` };
    } else if (!URL.canParse(command)) return { problem: `${command} is not an address` };
    if (args.length > 0) return { problem: `an address takes no further words: ${args.join(' ')}` };
    return { ...options, target: { kind: 'address', url: command } };
  }
  if (bare && words[at - 1] !== '--') return { word: command };
  if (options.http && args.length > 0) return { problem: `--http is for an address, and ${command} is a program` };
  return { ...options, target: { kind: 'program', command, args } };
}
