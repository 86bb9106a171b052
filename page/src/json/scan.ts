// Finds where the parts of a JSON text begin and end. The text must be one that `JSON.parse` accepts.

const [quote, backslash, open, close, openList, closeList] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];

/** The position of the next character that is not white space. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at++;
  }
}

/** The end of the value that begins at `from`: the position after its last character. */
export function endOf(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (code === open || code === openList) depth++;
    else if (code === close || code === closeList) {
      if (--depth === 0) return at + 1;
      if (depth < 0) return at;
    } else if (depth === 0 && (code === 0x2c || code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09)) return at;
    at++;
  }
  return text.length;
}

/** The end of the string that begins at `from`: the position after its closing quotation mark. */
export function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
  return text.length;
}
