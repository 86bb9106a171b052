// Growing inputs: repeated text that an expression matches, and an end that it does not match.

/** Sample characters for the classes of a pattern. */
const samples = { s: [' ', '\t', '\n'], d: ['0'], w: ['a', '_', '0'], S: ['a'], D: ['a'], W: ['-'], b: [], B: [], n: ['\n'], t: ['\t'], r: ['\r'] };
/** Characters tried for every pattern, for text from outside. */
const always = ['a', '0', ' ', '"', '\\', '\u{1f600}'];
const maxPieces = 10;

/** Pieces of text that occur in a pattern. */
export function piecesOf(pattern) {
  const pieces = new Set();
  for (const [token, escaped, code, point] of pattern.matchAll(/\\(?:u([\da-fA-F]{4})|u\{([\da-fA-F]+)\}|(?:[pPk][{<][^}>]*[}>]|.))|[^]/gu)) {
    if (escaped || code) pieces.add(String.fromCodePoint(parseInt(escaped ?? code, 16)));
    else if (token[0] === '\\') for (const one of samples[token[1]] ?? (/[pPk]/.test(token[1]) ? ['\u{e9}'] : [token[1]])) pieces.add(one);
    else if (!/[()[\]{}|*+?^$.]/.test(token)) pieces.add(token);
  }
  return [...new Set([...[...pieces].slice(0, maxPieces), ...always])];
}

/**
 * The sizes: small steps at first, where time may double with each character. The largest is only tried if the one before was
 * slow.
 */
const sizes = [12, 20, 28, 1_024, 4_096, 16_384];
const [largest, doubtfulMs] = [16_384, 0.5];
/** Maximum CPU milliseconds for one text; linear work on 16,384 characters takes about one. */
const mostMs = 40;

/** Growing texts: the beginning, and the repeated part. */
function* pumpsOf(pieces) {
  const pairs = pieces.flatMap((one) => pieces.map((other) => (one === other ? one : one + other)));
  for (const pump of pairs) for (const before of ['', pieces[0]]) yield [before, pump];
  for (const pump of pieces) for (const before of pairs) yield [before, pump];
}

/** Describes a text for which the expression takes far more than linear time; undefined: none of the tried texts. */
export function slowText({ pattern, flags, most = Infinity }) {
  const expression = new RegExp(pattern, flags);
  for (const [before, pump] of pumpsOf(piecesOf(pattern))) {
    for (const after of ['\0', '\n\0', '\0\n']) {
      let last = 0;
      for (const size of sizes) {
        if (size > most || (size === largest && last < doubtfulMs)) break;
        const text = (before + pump.repeat(size / pump.length)).slice(0, size) + after;
        last = spent(expression, text);
        // Something else may have used the time: measure again.
        if (last >= mostMs && Math.min(spent(expression, text), spent(expression, text)) >= mostMs) {
          return `${JSON.stringify(before)} + ${JSON.stringify(pump)} repeated to ${size} characters + ${JSON.stringify(after)}`;
        }
      }
    }
  }
  return undefined;
}

function spent(expression, text) {
  const began = process.cpuUsage();
  expression.lastIndex = 0;
  if (expression.global) for (const _ of text.matchAll(expression));
  else expression.exec(text);
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1_000;
}
