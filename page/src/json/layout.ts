// Changes the layout of a JSON text. Its tokens stay unchanged: digits, escapes and duplicate members.
import { endOfString, skipSpace } from './scan.ts';

/** Lays out a text that `JSON.parse` accepts: one member or item a line, two spaces a level; empty objects and arrays stay on one line. */
export function pretty(text: string): string {
  return laidOut(text, true);
}

/** Removes line breaks and spaces between the tokens of a text that `JSON.parse` accepts. */
export function oneLine(text: string): string {
  return laidOut(text, false);
}

/** Deeper levels are not indented further. */
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
