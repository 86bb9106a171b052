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
 * member that the shape does not have: the message suggests the most similar name, or lists the known ones. It is
 * `invalid_option` for a missing value or one of another kind, for milliseconds below 0 or above `longestTimerMs`, and
 * for another limit below 0.
 *
 * A member that is undefined counts as absent, whatever its name. The exception is `limits`, where undefined would
 * replace a default. Inherited members are checked too, since callers read them like own members.
 */
export function checkOptions<V>(place: string, given: V, kind: Kind<NoInfer<V>>): void;
export function checkOptions(place: string, given: unknown, kind: string | number | object): void {
  const wanted = typeof kind === 'string' ? kind : typeof kind;
  // NaN is refused too: every comparison with it is false, so it would remove a limit.
  const is = Array.isArray(given) ? 'list' : given !== given ? 'NaN'
    : typeof given === 'string' && wanted.includes('"') ? `"${given}"` : typeof given;
  const most = place.endsWith('Ms') ? longestTimerMs : Infinity;
  let code = 'invalid';
  let fault = given == null ? `missing or null, expected ${wanted}`
    : !wanted.split(' or ').includes(is) ? `invalid, expected ${wanted}, not ${is}`
      : typeof kind === 'number' && !(given as number >= 0 && given as number <= most) ? `invalid, expected 0 to ${most}, not ${given as number}` : '';
  if (!fault && typeof kind === 'object') for (const name in given as object) {
    const short = name.slice(0, 80);
    const at = `${place}.${short}`;
    if ((given as Members)[name] === undefined && !place.endsWith('limits')) continue;
    if (!Object.hasOwn(kind, name)) {
      const known = Object.keys(kind);
      const meant = nearest(short, known);
      place = at;
      code = 'unknown';
      fault = meant ? `unknown, did you mean ${meant}?` : `unknown, expected ${known.join(' or ') || 'no member'}`;
      break;
    }
    checkOptions(at, (given as Members)[name], (kind as Shapes)[name] as Kind);
  }
  if (fault) throw Object.assign(TypeError(`${place} is ${fault}`), { code: `${code}_option` });
}

/** Returns the most similar of some names, or '' if none is similar enough to be the meant one. */
export function nearest(given: string, names: readonly string[]): string {
  const [near] = names.map((name) => ({ name, far: unlikeness(given.toLowerCase(), name.toLowerCase()) })).sort((a, b) => a.far - b.far);
  return near && near.far < given.length * 0.4 + 1 ? near.name : '';
}

/**
 * The number of letters that occur in only one of two names, and the difference of their lengths. Much less, if one name begins
 * with the other: `desc` means `description`.
 */
const unlikeness = (a: string, b: string): number =>
  ([...a + b].filter((letter) => a.includes(letter) !== b.includes(letter)).length + Math.abs(a.length - b.length))
    / (a && b.startsWith(a) || a.startsWith(b) ? 99 : 1);

type Members = Readonly<Record<string, unknown>>;
type Shapes = Readonly<Record<string, Kind>>;
