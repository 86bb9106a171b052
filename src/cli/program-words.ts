/** The words of a command on either side of the first `--`. */
export interface ProgramWords {
  readonly before: readonly string[];
  /** The program and its arguments; undefined if there is no `--`. */
  readonly program: readonly string[] | undefined;
}

/** Splits the words of a command at the first `--`. */
export function atProgram(words: readonly string[]): ProgramWords {
  const at = words.indexOf('--');
  return at < 0 ? { before: words, program: undefined } : { before: words.slice(0, at), program: words.slice(at + 1) };
}
