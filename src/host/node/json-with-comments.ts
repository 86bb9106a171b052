/**
 * Converts JSON with comments, as editors write it, into JSON: comments and commas before a closing bracket become
 * white space. One pass over any text.
 */
export function withoutComments(text: string): string {
  const blanks: (readonly [from: number, to: number])[] = [];
  /** The last comma that only white space has followed; -1: none. */
  let comma = -1;
  for (let at = 0; at < text.length;) {
    const char = text[at] ?? '';
    const end = char === '"' ? stringEnd(text, at) : char === '/' ? commentEnd(text, at) : at + 1;
    if (char === '/' && end > at + 1) blanks.push([at, end]);
    else {
      if ((char === '}' || char === ']') && comma >= 0) blanks.push([comma, comma + 1]);
      if (char === ',') comma = at;
      else if (!/\s/.test(char)) comma = -1;
    }
    at = end;
  }
  let out = '';
  let begin = 0;
  for (const [from, to] of blanks.sort(([a], [b]) => a - b)) {
    out += text.slice(begin, from) + text.slice(from, to).replace(/[^\n]/g, ' ');
    begin = to;
  }
  return out + text.slice(begin);
}

/** The position after the string that begins at `at`; a string ends with its line. */
function stringEnd(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end++) {
    const char = text[end];
    if (char === '\\') end++;
    else if (char === '"') return end + 1;
    else if (char === '\n') return end;
  }
  return text.length;
}

/**
 * The position after the comment that begins at `at`; after the slash if no comment begins there. An unclosed comment
 * ends with the text.
 */
function commentEnd(text: string, at: number): number {
  const line = text.startsWith('//', at);
  if (!line && !text.startsWith('/*', at)) return at + 1;
  const closing = text.indexOf(line ? '\n' : '*/', at + 2);
  return closing < 0 ? text.length : line ? closing : closing + 2;
}
