import type { CommandProcess } from './command-process.ts';
/** One subcommand. Its file is loaded only when it is used. */
export interface Command {
  /** The words behind `barewire NAME`, such as `[options] TARGET TOOL [key=value ...]`. */
  readonly usage: string;
  /** One sentence. */
  readonly about: string;
  /** Options as lines of help: the words, and what they do. */
  readonly options: readonly (readonly [words: string, does: string])[];
  /** One line that works. */
  readonly example: string;
  /** More to know, as lines. */
  readonly notes?: readonly string[];
  /** Runs it in a process; resolves with the exit code. `words` are those behind the name, `all` are the subcommands. */
  run(words: readonly string[], proc: CommandProcess, all: Commands): Promise<number>;
  /** What `--help` says where something of a server is named; undefined: nothing is, and the help of the command is shown. */
  explain?(words: readonly string[], proc: CommandProcess): Promise<number | undefined>;
}

/** A subcommand as the overview names it. */
interface ListedCommand {
  readonly about: string;
  readonly load: () => Promise<{ readonly command: Command }>;
}

/** The subcommands by their names. */
export type Commands = Readonly<Record<string, ListedCommand>>;

/** The help of one subcommand. */
export function helpOf(name: string, { usage, about, options, example, notes = [] }: Command): string {
  const wide = Math.max(...options.map(([words]) => words.length), 10);
  return [
    `barewire ${name} ${usage}`, '', about, '',
    ...options.map(([words, does]) => `  ${words.padEnd(wide)}  ${does}`),
    ...options.length > 0 ? [''] : [],
    ...notes, ...notes.length > 0 ? [''] : [],
    `Example:  ${example}`,
  ].join('\n');
}
