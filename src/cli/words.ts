import { WrongUse } from './exit-codes.ts';

/** Splits a line into words like a shell: quotes and backslashes protect spaces. Nothing is expanded. */
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
      // Quotes within a word are ordinary characters, because JSON contains many.
      if (word === undefined || word.endsWith('=')) {
        quote = char;
        word ??= '';
      } else word += char;
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (char === '\\') word = (word ?? '') + (line[++at] ?? '');
    else if ((char === '{' || char === '[') && (word === undefined || word.endsWith('='))) {
      // JSON extends to the end of the line.
      return [...words, (word ?? '') + line.slice(at).trim()];
    } else word = (word ?? '') + char;
  }
  if (quote !== '') throw new WrongUse(`a ${quote} is not closed`);
  return word === undefined ? words : [...words, word];
}
