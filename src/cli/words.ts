import { WrongUse } from './exit-codes.ts';

/** A line as words, as a shell reads it: quotes and backslashes keep spaces together, and nothing is expanded. */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const char = line[at] ?? '';
    if (quote !== '') {
      if (char === quote) quote = '';
      else if (char === '\\' && quote === '"' && /["\\]/.test(line[at + 1] ?? '')) word += line[++at] ?? '';
      else word += char;
    } else if (char === '"' || char === "'") {
      // Within a word quotes are text: JSON is full of them.
      if (word === undefined || word.endsWith('=')) {
        quote = char;
        word ??= '';
      } else word += char;
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (char === '\\') word = (word ?? '') + (line[++at] ?? '');
    else if ((char === '{' || char === '[') && (word === undefined || word.endsWith('='))) {
      // JSON goes to the end of the line.
      return [...words, (word ?? '') + line.slice(at).trim()];
    } else word = (word ?? '') + char;
  }
  if (quote !== '') throw new WrongUse(`a ${quote} is not closed`);
  return word === undefined ? words : [...words, word];
}
