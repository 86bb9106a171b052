/**
 * JSON with comments, as editors write it, into JSON: comments and commas before a closing bracket become white space. One
 * pass over the text, whatever is in it.
 */
export function withoutComments(text: string): string {
  const blanks: (readonly [from: number, to: number])[] = [];
  /** The last comma that nothing but white space has followed; -1: there is none. */
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

/** Behind the closing quote of the string that begins at `at`; strings end with their line. */
function stringEnd(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end++) {
    const char = text[end];
    if (char === '\\') end++;
    else if (char === '"') return end + 1;
    else if (char === '\n') return end;
  }
  return text.length;
}

/** Behind the comment that begins at `at`; behind the slash where none does. One that is not closed goes on to the end. */
function commentEnd(text: string, at: number): number {
  const line = text.startsWith('//', at);
  if (!line && !text.startsWith('/*', at)) return at + 1;
  const closing = text.indexOf(line ? '\n' : '*/', at + 2);
  return closing < 0 ? text.length : line ? closing : closing + 2;
}
