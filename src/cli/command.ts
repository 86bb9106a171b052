import type { CommandProcess } from './command-process.ts';
/** One subcommand. Its file is loaded only when it is used. */
export interface Command {
  /** The words after `barewire NAME`, such as `[options] TARGET TOOL [key=value ...]`. */
  readonly usage: string;
  /** One sentence. */
  readonly about: string;
  /** Help for the options: the words, and their effect. */
  readonly options: readonly (readonly [words: string, does: string])[];
  /** A command line that works. */
  readonly example: string;
  /** More lines of help. */
  readonly notes?: readonly string[];
  /** Runs the command; resolves with the exit code. `words` are those after the name, `all` are the subcommands. */
  run(words: readonly string[], proc: CommandProcess, all: Commands): Promise<number>;
  /** Prints help about an item of a server for `--help`; undefined if `words` name no item: then the command's help is shown. */
  explain?(words: readonly string[], proc: CommandProcess): Promise<number | undefined>;
}

/** A subcommand in the overview. */
interface ListedCommand {
  readonly about: string;
  readonly load: () => Promise<{ readonly command: Command }>;
}

/** The subcommands by name. */
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
