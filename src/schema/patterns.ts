import type { PatternTest } from './types.ts';

/** Ways through a pattern that the engine may try before it is refused. */
const MANY = 1e8;

/**
 * Tests patterns with the engine's own matcher, which may backtrack: so a pattern that repeats a choice
 * (`(a+)*`, `(a|b)*`) is refused at once, and a string when the loops of its pattern allow too many ways
 * through it.
 */
export function nativePatterns(source: string): PatternTest {
  const expression = new RegExp(source, 'u');
  // What counts is the shape: atoms become x, groups dissolve from the inside, and short counts are written
  // out.
  let shape = source
    .replace(/\\[kpu][{<].*?[}>]|\\.|\[(\\.|[^\\\]])*\]/gisu, 'x')
    .replace(/([^)])\{\d+\}/g, '$1');
  for (let before = ''; before !== shape;) {
    before = shape;
    shape = shape.replace(
      /\((?:\?[^()]*?[:=!>])?([^()]*)\)(?:\{(\d)\}|(\*|\+|\{[^}]*\}))?/gu,
      (_, body: string, times = '1', loop = '') => {
        if ((loop && /[*+?{|]/.test(body)) || shape.length > 1e5)
          throw new Error('a repeated choice needs the option "patterns"');
        return body.repeat(times) + loop;
      },
    );
  }
  const choices = 2 ** (shape.split(/[?|]/).length - 1);
  // One more for the place where a match may begin.
  const loops = shape.split(/[*+]|\{\d+,/).length - (/^\^[^|]*$/.test(shape) ? 1 : 0);
  return (text, spend) => {
    // A power is slow, even of 0.
    const ways = loops ? choices * (text.length + 1) ** loops : choices;
    if (ways > MANY) throw new RangeError('pattern');
    spend(ways >> 8);
    return expression.test(text);
  };
}
