/**
 * The check of all options, limits, rules, definitions and configs that a user passes, against a shape that lists
 * each member and its kind. Without this check a misspelt `auth` would serve everybody, and a misspelt rule would
 * allow everything.
 */

/** The kind of a value as text. The kind of a string literal is the literal in quotes. */
type Word<V> = V extends string ? string extends V ? 'string' : `"${V}"`
  : V extends number ? 'number'
    : V extends boolean ? 'boolean'
      : V extends (...args: never) => unknown ? 'function'
        : V extends readonly unknown[] ? 'list'
          // The schemas of some libraries are functions.
          : V extends object ? 'object' | 'function' : never;

// In a list of more than three words, only the first three are checked against the type.
type Words<W extends string> = W | `${W} or ${W}` | `${W} or ${W} or ${W}` | `${W} or ${W} or ${W} or ${string}`;

/**
 * The values that a member accepts: `string`, `number`, `boolean`, `function`, `object`, `list`, or one string in quotes
 * (`"public"`), with ` or ` between them. An object means an object of that shape. A number means `number`, and if the
 * member's name ends with `Ms`, milliseconds that a timer accepts; so an object of default limits is also their shape.
 */
export type Kind<V = unknown> = unknown extends V ? string | number | object
  : Words<Word<V>> | ([V] extends [number] ? number : [V] extends [object] ? Shape<V> : never);

/** The longest time that a timer accepts, in milliseconds: 24 days. A timer with a longer time fires at once. */
export const longestTimerMs = 0x7fffffff;

/** Every member of an options type, with its kind. */
export type Shape<T> = { readonly [K in keyof T]-?: Kind<Exclude<T[K], undefined>> };

/**
 * Throws a TypeError that names the place, such as `serveHttp: options.atuh`. Its `code` is `unknown_option` for a
 * member that the shape does not have: the message suggests the most similar name. It is `invalid_option` for a value
 * of another kind, and for milliseconds below 0 or above `longestTimerMs`.
 *
 * A member that is undefined counts as absent, whatever its name. The exception is `limits`, where undefined would
 * replace a default. Inherited members are checked too, since callers read them like own members.
 */
export function checkOptions<V>(place: string, given: V, kind: Kind<NoInfer<V>>): void;
export function checkOptions(place: string, given: unknown, kind: string | number | object): void {
  const wanted = typeof kind === 'string' ? kind : typeof kind;
  // NaN is refused too: every comparison with it is false, so it would remove a limit.
  const is = Array.isArray(given) ? 'list' : given === null || given !== given ? `${given as null}`
    : typeof given === 'string' && wanted.includes('"') ? `"${given}"` : typeof given;
  let why = 'invalid';
  let hint = !wanted.split(' or ').includes(is) ? `expected ${wanted}, not ${is}`
    : typeof kind === 'number' && place.endsWith('Ms') && !(given as number >= 0 && given as number <= longestTimerMs)
      ? `expected 0 to ${longestTimerMs}, not ${given as number}` : '';
  if (!hint && typeof kind === 'object') for (const name in given as object) {
    const short = name.slice(0, 80);
    const at = `${place}.${short}`;
    if ((given as Members)[name] === undefined && !place.endsWith('limits')) continue;
    if (!Object.hasOwn(kind, name)) {
      place = at;
      why = 'unknown';
      hint = `did you mean ${Object.keys(kind).sort((a, b) => unlikeness(short, a) - unlikeness(short, b))[0] ?? 'to give none'}?`;
      break;
    }
    checkOptions(at, (given as Members)[name], (kind as Shapes)[name] as Kind);
  }
  if (hint) throw Object.assign(TypeError(`${place} is ${why}, ${hint}`), { code: `${why}_option` });
}

/** The number of letters that occur in only one of two names. Used to suggest the correct spelling of a name. */
export const unlikeness = (a: string, b: string): number =>
  [...a + b].filter((letter) => a.includes(letter) !== b.includes(letter)).length;

type Members = Readonly<Record<string, unknown>>;
type Shapes = Readonly<Record<string, Kind>>;
