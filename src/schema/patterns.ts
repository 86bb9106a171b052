// A backtracking engine may take exponential time, and cannot be stopped. So if the estimated cost of a pattern for a
// string is high, this file matches it: as a function from the set of positions where it may begin to the set of those
// where it may end. Each visited position is charged.
import type { PatternTest } from './model.ts';

type Spend = (steps: number) => void;
type Positions = ReadonlySet<number>;

/** A piece of a pattern. */
interface Piece {
  /** The positions where a match that begins at one of `from` may end. */
  ends(text: string, from: Positions, spend: Spend): Positions;
  /** For a backtracking engine and n >= 1 + the string's length: how often it continues after this piece, and its steps. */
  bound(n: number): readonly [ways: number, steps: number];
}

const TOKEN =
  /\\(?:uD[89AB]..\\uD[C-F]..|[pPu]\{[^}]*\}|u.{4}|x..|c.|k<[^>]*>|[1-9]\d*|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:<?[=!]|[a-z-]*:|<[^>]*>))?|\{\d+(?:,\d*)?\}|./gisu;

/** Syntax that only the engine can match: lookbehind, back references, modifiers. */
const FOREIGN = /^\(\?(<[=!]|[a-z-]+:)|^\\([1-9]|k)/;

/** Up to this number of estimated steps, plus 100 for each character, the RegExp engine is used. */
const FEW = 1e5;

/** Up to this number the engine may be used if only it can match the pattern: a few hundredths of a second. */
const MANY = 1e7;

/** The cost of a visited position, in steps of the limit `work`. */
const VISIT = 16;

/** The cost of the engine's compilation, in steps for each unit of weight. */
const COMPILE = 200;

/** The cost of compiling a pattern: its length, and far more for each property of Unicode (`\p{L}`). */
export function weightOf(source: string): number {
  return source.length + 500 * (source.split(/\\p/i).length - 1);
}

/**
 * Tests a pattern (ECMA-262, flag `u`) at a bounded cost. The engine is used if its worst case is cheap; other
 * patterns are matched in time linear in the string, or refused by the limit `work`. A pattern that needs the engine
 * (lookbehind, back references, modifiers) is refused by the limit `pattern` if the string is too long for it.
 * Long function: its parser finds out whether the engine has to match the pattern, which decides how a text is tested.
 *
 * @throws SyntaxError if the pattern is malformed
 */
export function boundedPattern(source: string): PatternTest {
  const native = new RegExp(source, 'u');
  const bounds: number[] = [];
  let whole: Piece | undefined;
  let foreign = false;
  // If every match begins at the start, no other position is tried.
  const anchored = /^\^[^|]*$/.test(source);
  return (text, spend) => {
    if (!whole) {
      spend(COMPILE * weightOf(source));
      whole = parse();
    }
    // Lengths are rounded up to a power of 2, so that few bounds are kept.
    const bits = 32 - Math.clz32(text.length);
    const n = 1 << bits;
    const steps = (bounds[bits] ??= whole.bound(n)[1] * (anchored ? 1 : n));
    if (steps <= (foreign ? MANY : Math.min(MANY, FEW + 100 * n))) {
      // The call itself costs a few steps.
      spend((steps >> 2) + 4);
      return native.test(text);
    }
    if (foreign) throw new RangeError('pattern');
    const starts = new Set([0]);
    if (!anchored) {
      spend(VISIT * text.length);
      for (let i = 1; i <= text.length; i++) starts.add(i);
    }
    return whole.ends(text, starts, spend).size > 0;
  };

  /** Parses the pattern, which is known to be well-formed. Each atom is compiled once. */
  function parse(): Piece {
    const tokens = source.match(TOKEN) ?? [];
    const atoms = new Map<string, Piece>();
    let at = 0;
    const alternatives = (): Piece => {
      const pieces = [sequence()];
      while (tokens[at - 1] === '|') pieces.push(sequence());
      return pieces.length > 1 ? choice(pieces) : (pieces[0] ?? nothing);
    };
    const sequence = (): Piece => {
      const pieces: Piece[] = [];
      for (let token; (token = tokens[at++]) && token !== '|' && token !== ')';) pieces.push(quantified(one(token)));
      return series(pieces);
    };
    const one = (token: string): Piece => {
      foreign ||= FOREIGN.test(token);
      if (token[0] === '(') return /[=!]$/.test(token) ? ahead(alternatives(), token === '(?!') : alternatives();
      let piece = atoms.get(token);
      if (!piece) atoms.set(token, piece = FOREIGN.test(token) ? { ...nothing, bound: (n) => [1, n] } : atom(token));
      return piece;
    };
    const quantified = (piece: Piece): Piece => {
      const [, sign, low, comma, high] = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})$/.exec(tokens[at] ?? '') ?? [];
      if (!sign && !low) return piece;
      at++;
      // A lazy quantifier finds the same ends in another order.
      if (tokens[at] === '?') at++;
      const min = Number(low ?? (sign === '+' ? 1 : 0));
      const max = sign ? (sign === '?' ? 1 : Infinity) : Number(high || (comma ? Infinity : low));
      return repeated(piece, min, max);
    };
    return alternatives();
  }
}

const nothing: Piece = { ends: (_, from) => from, bound: () => [1, 1] };

/** One character, or one edge (`^`, `\b`). */
function atom(token: string): Piece {
  let expression: RegExp | undefined;
  return {
    ...nothing,
    ends(text, from, spend) {
      expression ??= new RegExp(token, 'uy');
      const ends = new Set<number>();
      for (const position of from) {
        spend(VISIT);
        expression.lastIndex = position;
        // No character begins in the middle of a surrogate pair.
        if (expression.test(text)) ends.add(expression.lastIndex);
      }
      return ends;
    },
  };
}

function series(pieces: readonly Piece[]): Piece {
  return {
    ends: (text, from, spend) =>
      pieces.reduce((at, piece) => (at.size > 0 ? piece.ends(text, at, spend) : at), from),
    bound: (n) => pieces.reduce(([ways, steps], piece) => {
      const [more, cost] = piece.bound(n);
      return [ways * more, steps + ways * cost];
    }, [1, 1]),
  };
}

function choice(pieces: readonly Piece[]): Piece {
  return {
    ends(text, from, spend) {
      const ends = new Set<number>();
      for (const piece of pieces) add(piece.ends(text, from, spend), ends, spend);
      return ends;
    },
    bound: (n) => pieces.reduce(([ways, steps], piece) => {
      const [more, cost] = piece.bound(n);
      return [ways + more, steps + cost];
    }, [0, 1]),
  };
}

/** Adds positions to a set, and charges for them. Returns the new ones. */
function add(positions: Positions, to: Set<number>, spend: Spend): Positions {
  spend(VISIT * positions.size);
  const fresh = new Set<number>();
  for (const position of positions) {
    if (to.has(position)) continue;
    to.add(position);
    fresh.add(position);
  }
  return fresh;
}

/** A lookahead: the engine does not enter it again after it has matched. */
function ahead(inner: Piece, negative: boolean): Piece {
  return {
    ends(text, from, spend) {
      const ends = new Set<number>();
      for (const position of from) {
        spend(VISIT);
        if (inner.ends(text, new Set([position]), spend).size > 0 !== negative) ends.add(position);
      }
      return ends;
    },
    bound: (n) => [1, inner.bound(n)[1]],
  };
}

function repeated(piece: Piece, min: number, max: number): Piece {
  return {
    ends(text, from, spend) {
      let last = from;
      for (let i = 0; i < min && last.size > 0; i++) {
        spend(VISIT);
        last = piece.ends(text, last, spend);
      }
      const ends = new Set<number>();
      // Only new positions can lead to new ones.
      let fresh = add(last, ends, spend);
      for (let i = min; i < max && fresh.size > 0; i++) fresh = add(piece.ends(text, fresh, spend), ends, spend);
      return ends;
    },
    bound(n) {
      const [ways, cost] = piece.bound(n);
      // An iteration with several ways multiplies them; one with a single way ends after at most n characters.
      const rounds = max < Infinity ? max : ways > 1 ? max : min + n;
      const power = ways ** rounds;
      return [power * (rounds - min + 1), power * cost * rounds + 1];
    },
  };
}
