import { glyphs } from '../explain/safe-text.ts';

/** A value as one line of JSON. Invisible and control characters are escaped, so that a terminal shows them and does not obey them. */
export const jsonLine = (value: unknown): string => escapedJson(JSON.stringify(value) ?? 'null');

/** A text of JSON with the same escapes. It has the same value. */
export function escapedJson(text: string): string {
  let line = '';
  for (const { came, shown } of glyphs(text)) line += came === shown ? came : escaped(came);
  return line;
}

function escaped(char: string): string {
  let text = '';
  for (let at = 0; at < char.length; at++) text += `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return text;
}
