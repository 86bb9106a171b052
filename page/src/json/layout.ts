// A text of JSON laid out anew, with its own tokens: no digit, no escape and no member is another than before.
import { endOfString, skipSpace } from './scan.ts';

/** A text that JSON.parse accepts, on lines with two spaces a level; empty objects and lists stay on one. */
export function pretty(text: string): string {
  return laidOut(text, true);
}

/** A text that JSON.parse accepts, on one line without spaces. */
export function oneLine(text: string): string {
  return laidOut(text, false);
}

/** Deeper than this nothing is indented further. */
const maxIndent = 100;

function laidOut(text: string, lines: boolean): string {
  const parts: string[] = [];
  let depth = 0;
  let before = '';
  const end = (): string => (lines ? `\n${'  '.repeat(Math.min(depth, maxIndent))}` : '');
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    const to = tokenEnd(text, at);
    const part = text.slice(at, to);
    const closes = part === '}' || part === ']';
    if (closes) depth--;
    if (closes ? before !== '{' && before !== '[' : before === '{' || before === '[' || before === ',') parts.push(end());
    parts.push(part === ':' && lines ? ': ' : part);
    if (part === '{' || part === '[') depth++;
    before = part;
    at = to;
  }
  return parts.join('');
}

function tokenEnd(text: string, from: number): number {
  if (text[from] === '"') return endOfString(text, from);
  let at = from;
  // A number or a word.
  while (/[\w.+-]/.test(text[at] ?? '')) at++;
  return Math.max(at, from + 1);
}

/** Whether a text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
