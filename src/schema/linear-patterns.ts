import type { PatternTest } from './types.ts';

// A backtracking engine may take exponential time, and cannot be stopped. So a pattern that could do so with
// the string at hand is matched here instead: as a graph in which each pair of state and position is visited
// once. That is slower, but takes at most states times characters, and each step is paid for.

/** A place in the pattern: an atom to match, or something to look ahead for, or a choice of two ways on. */
interface State {
  id: number;
  next: State | undefined;
  /** Matches one character or one edge (`^`, `\b`) where it is told to; sticky. */
  atom?: RegExp;
  /** A lookahead's own states. */
  look?: State | undefined;
  negative?: boolean;
  other?: State | undefined;
}

/** A piece of a pattern. */
interface Piece {
  /** Makes its states, in front of those that follow. Undefined is the end. */
  build(next: State | undefined): State | undefined;
  /** Ways through it for a backtracking engine: `ways` times the string's length to the power of `loops`. */
  ways: number;
  loops: number;
}

const TOKEN =
  /\\(?:uD[89AB]..\\uD[C-F]..|[pPu]\{[^}]*\}|u.{4}|x..|c.|k<[^>]*>|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:<?[=!]|[a-z-]*:|<[^>]*>))?|./gisu;

/** Most ways for which the engine's own matcher is used. */
const FEW = 100_000;

/** Most states for one pattern, its counted repetitions written out. */
const STATES = 20_000;

/**
 * Tests patterns (ECMA-262, flag `u`) at a bounded cost, for `compile`'s option `patterns`. Every pattern
 * is accepted, and none can take more than the limit `work` allows. Where a pattern needs the engine itself
 * (lookbehind, back references, modifiers), a string too long for it is refused, by the limit `pattern`.
 */
export function linearPatterns(source: string): PatternTest {
  const native = new RegExp(source, 'u');
  const tokens = source.match(TOKEN) ?? [];
  let at = 0;
  let count = 0;
  let foreign = false;
  const whole = alternatives();
  const loops = whole.loops + (/^\^[^|]*$/.test(source) ? 0 : 1);
  let start: State | undefined;
  return (text, spend) => {
    const ways = whole.ways * (text.length + 1) ** loops;
    if (ways <= FEW) {
      spend(ways >> 8);
      return native.test(text);
    }
    if (foreign) throw new RangeError('pattern');
    start ??= whole.build(undefined);
    return search(start, text, 0, text.length, spend);
  };

  function tick(): number {
    if (++count > STATES) throw new RangeError('pattern');
    return count;
  }

  function alternatives(): Piece {
    let result = sequence();
    while (tokens[at - 1] === '|') {
      const before = result;
      const after = sequence();
      result = {
        build: (next) => ({ id: tick(), next: before.build(next), other: after.build(next) }),
        ways: before.ways + after.ways,
        loops: Math.max(before.loops, after.loops),
      };
    }
    return result;
  }

  function sequence(): Piece {
    const pieces: Piece[] = [];
    for (let token = tokens[at++]; token && token !== '|' && token !== ')'; token = tokens[at++]) {
      pieces.push(repeated(one(token)));
    }
    return {
      build: (next) => pieces.reduceRight((state, piece) => piece.build(state), next),
      ways: pieces.reduce((product, { ways }) => product * ways, 1),
      loops: pieces.reduce((sum, { loops }) => sum + loops, 0),
    };
  }

  function one(token: string): Piece {
    foreign ||= /^\(\?(<[=!]|[a-z-]+:)|^\\([1-9]|k)/.test(token);
    if (token[0] === '(') {
      const inner = alternatives();
      if (!/[=!]$/.test(token)) return inner;
      const negative = token === '(?!';
      return { ...inner, build: (next) => ({ id: tick(), next, look: inner.build(undefined), negative }) };
    }
    const build = (next: State | undefined): State => ({ id: tick(), next, atom: new RegExp(token, 'uy') });
    return { build, ways: 1, loops: 0 };
  }

  function repeated(piece: Piece): Piece {
    let quantifier = /^[*+?{]/.test(tokens[at] ?? '') ? tokens[at++] : undefined;
    if (!quantifier) return piece;
    while (quantifier.startsWith('{') && !quantifier.endsWith('}')) quantifier += tokens[at++] ?? '}';
    if (tokens[at] === '?') at++;
    const [, least, comma, greatest] = /(\d+)(,?)(\d*)/.exec(quantifier) ?? [];
    const min = Number(least ?? (quantifier === '+' ? 1 : 0));
    const max =
      least ? Number(greatest || (comma ? Infinity : least))
      : quantifier === '?' ? 1
      : Infinity;
    const bounded = max < Infinity;
    return {
      build(next) {
        let state = next;
        if (!bounded) {
          const loop: State = { id: tick(), next };
          loop.other = piece.build(loop);
          state = loop;
        }
        for (let i = min; bounded && i < max; i++) state = { id: tick(), next, other: piece.build(state) };
        for (let i = 0; i < min; i++, tick()) state = piece.build(state);
        return state;
      },
      // Without choices inside, only the number of rounds varies.
      ways:
        bounded ? piece.ways ** max * (max - min + 1)
        : piece.ways > 1 ? Infinity
        : 1,
      loops:
        bounded ? piece.loops && piece.loops * max
        : piece.loops ? Infinity
        : 1,
    };
  }
}

/** Whether the end can be reached from a state at one of the positions. */
function search(
  start: State | undefined,
  text: string,
  first: number,
  last: number,
  spend: (steps: number) => void,
): boolean {
  const visited = new Set<number>();
  for (let from = first; from <= last; from++) {
    const states = [start];
    const positions = [from];
    while (states.length) {
      const state = states.pop();
      const position = positions.pop() ?? 0;
      if (!state) return true;
      const { id, next, atom, look } = state;
      const key = id * (text.length + 1) + position;
      if (visited.has(key)) continue;
      visited.add(key);
      spend(20);
      let on = position;
      if (atom) {
        atom.lastIndex = position;
        if (!atom.test(text)) continue;
        on = atom.lastIndex;
      } else if ('look' in state) {
        if (search(look, text, position, position, spend) === state.negative) continue;
      } else {
        states.push(state.other);
        positions.push(position);
      }
      states.push(next);
      positions.push(on);
    }
  }
  return false;
}
