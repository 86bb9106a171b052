import { WrongUse } from './exit-codes.ts';

/** The string arguments of a prompt, from `key=value`. */
export const textArguments = (words: readonly string[]): Record<string, string> => Object.fromEntries(words.map((word): [string, string] => {
  const at = word.indexOf('=');
  if (at < 1) throw new WrongUse(`${word}: an argument of a prompt is key=value`);
  return [word.slice(0, at), word.slice(at + 1)];
}));
