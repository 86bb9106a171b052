// A backtracking engine may take exponential time, and cannot be stopped. So a pattern whose estimated cost for the
// string at hand is high is matched here instead: as a function from the set of positions where it may begin to the
// set of those where it may end. Each position that is visited is paid for.
import type { PatternTest } from './model.ts';

type Spend = (steps: number) => void;
type Positions = ReadonlySet<number>;

/** A piece of a pattern. */
interface Piece {
  /** Where a match that begins at one of `from` may end. */
  ends(text: string, from: Positions, spend: Spend): Positions;
  /** For a backtracking engine and n >= 1 + the string's length: how often it goes on from here, and its steps. */
  bound(n: number): readonly [ways: number, steps: number];
}

const TOKEN =
  /\\(?:uD[89AB]..\\uD[C-F]..|[pPu]\{[^}]*\}|u.{4}|x..|c.|k<[^>]*>|[1-9]\d*|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:<?[=!]|[a-z-]*:|<[^>]*>))?|\{\d+(?:,\d*)?\}|./gisu;

/** What only the engine can match: lookbehind, back references, modifiers. */
const FOREIGN = /^\(\?(<[=!]|[a-z-]+:)|^\\([1-9]|k)/;

/** Up to this many estimated steps, and 100 a character, the RegExp engine is used. */
const FEW = 1e5;

/** Up to this many it may be used where only it can match: a few hundredths of a second. */
const MANY = 1e7;

/** Steps of the limit `work` that a visited position costs. */
const VISIT = 16;

/** Steps that the engine's own compilation costs, a unit of weight. */
const COMPILE = 200;

/** What a pattern costs to compile: its length, and far more for each property of Unicode (`\p{L}`). */
export function weightOf(source: string): number {
  return source.length + 500 * (source.split(/\\p/i).length - 1);
}

/**
 * Tests a pattern (ECMA-262, flag `u`) at a bounded cost. The engine is used where its worst case is cheap; other
 * patterns are matched in time linear in the string, or refused by the limit `work`. A pattern that needs the engine
 * (lookbehind, back references, modifiers) is refused by the limit `pattern` for a string that is too long for it.
 * @throws SyntaxError when the pattern is malformed
 */
export function boundedPattern(source: string): PatternTest {
  const native = new RegExp(source, 'u');
  const bounds: number[] = [];
  let whole: Piece | undefined;
  let foreign = false;
  // No other place needs to be tried when every match begins at the start.
  const anchored = /^\^[^|]*$/.test(source);
  return (text, spend) => {
    if (!whole) {
      spend(COMPILE * weightOf(source));
      whole = parse();
    }
    // Lengths are rounded up to a power of 2, so that there are few bounds to remember.
    const bits = 32 - Math.clz32(text.length);
    const n = 1 << bits;
    const steps = (bounds[bits] ??= whole.bound(n)[1] * (anchored ? 1 : n));
    if (steps <= (foreign ? MANY : Math.min(MANY, FEW + 100 * n))) {
      // The call itself costs a few.
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

  /** Reads the pattern, which is known to be well-formed. Atoms are compiled once each. */
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
        // A pair of surrogates has no character that begins in its middle.
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

/** Adds positions to a set, and pays for them. Returns those that are new. */
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

/** A lookahead: it is not entered again once it has matched. */
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
      // Only positions that are new can lead to new ones.
      let fresh = add(last, ends, spend);
      for (let i = min; i < max && fresh.size > 0; i++) fresh = add(piece.ends(text, fresh, spend), ends, spend);
      return ends;
    },
    bound(n) {
      const [ways, cost] = piece.bound(n);
      // A round that may go several ways multiplies them; one that may not ends after at most n characters.
      const rounds = max < Infinity ? max : ways > 1 ? max : min + n;
      const power = ways ** rounds;
      return [power * (rounds - min + 1), power * cost * rounds + 1];
    },
  };
}
