import type { Check, Compiler, Items, Keywords, Node, Properties, Run } from './model.ts';
import { accept, fail, place, spend } from './run.ts';
import { lengthChecks, matcher } from './typed.ts';
import { escapeToken, names, own } from './values.ts';



// The rules for the members of a value: the properties of an object, the items of an array.

/** The steps for the keys that a rule passes: engines keep objects with many keys in tables, which are slow to walk. */
const keySteps = (keys: number): number => (keys < 1_000 ? keys : 8 * keys);

/**
 * The rules for objects, without those that apply to the object itself (`dependentSchemas`, `unevaluated…`).
 */
export function objectChecks(
  node: Node,
  keywords: Keywords,
  compiler: Compiler,
): Check<Properties>[] {
  const checks: Check<Properties>[] = [];
  const { propertyNames } = keywords;
  const others = otherProperties(node, keywords, compiler);
  if (keywords.properties || keywords.required) {
    checks.push(namedProperties(node, keywords, compiler, others));
  } else if (others) checks.push(others);
  for (const check of lengthChecks<string[]>(node, 'minProperties', 'maxProperties')) {
    checks.push((value, run) => check(shown(value, run), run));
  }
  if (propertyNames) {
    const check = compiler.check(propertyNames);
    checks.push((value, run) => each(shown(value, run), run, (key) => check(key, run)));
  }
  return checks;
}

/** The names of the properties that JSON would show. Charged, since listing them takes longer than most rules. */
export function shown(value: Properties, run: Run): string[] {
  const keys = names(value);
  spend(run, keySteps(keys.length));
  return keys;
}

/** Checks each key, and prepends the key to the paths of the errors found. */
export function each(keys: readonly string[], run: Run, judge: (key: string) => boolean): boolean {
  spend(run, keys.length);
  let ok = true;
  let mark = run.last;
  for (const key of keys) {
    if (judge(key)) continue;
    ok = false;
    mark = place(run, mark, '/' + escapeToken(key));
    if (!run.room) break;
  }
  return ok;
}

/** A known property, and the next one in the schema. */
interface PropertyEntry extends Certain {
  key: string;
  check: Check | undefined;
  /** 1 when it is required, else 0. */
  count: number;
  /** Its step in a JSON Pointer. */
  place: string;
  next: PropertyEntry | undefined;
}

/**
 * `properties` and `required` in one pass over the value's own keys. Keys usually come in the schema's order, so the
 * next entry is tried before a name is looked up. `others` runs only if other keys are present, or always if there
 * are patterns. Long function: its loops share the entry that is expected next.
 */
function namedProperties(
  node: Node, keywords: Keywords, compiler: Compiler, others: Check<Properties> | undefined,
): Check<Properties> {
  const { properties = [], required = [] } = keywords;
  const named = new Map(properties);
  const needed = new Set(required);
  const always = !!keywords.patternProperties;
  const { size } = needed;
  const byName = new Map<string, PropertyEntry>();
  let first: PropertyEntry | undefined;
  let last: PropertyEntry | undefined;
  for (const key of new Set([...named.keys(), ...needed])) {
    const child = named.get(key);
    const check = child && compiler.check(child);
    const count = +needed.has(key);
    // Each field by name, so that all entries have one shape, which the engine reads faster.
    const { kind, low, high, options } = certain(child);
    const entry: PropertyEntry = { kind, low, high, options, key, check, count, place: '/' + escapeToken(key), next: undefined };
    if (last) last.next = entry;
    else first = entry;
    last = entry;
    byName.set(key, entry);
  }
  return (value, run) => {
    let ok = true;
    let strangers = always;
    let missing = size;
    let mark = run.last;
    let next = first;
    let keys = 0;
    for (const key in value) {
      keys++;
      let entry = next;
      if (entry === undefined || entry.key !== key) {
        entry = byName.get(key);
        if (entry === undefined) {
          strangers = true;
          continue;
        }
      }
      next = entry.next;
      const property = value[key];
      if (property === undefined) continue;
      missing -= entry.count;
      if (isCertain(entry, property)) continue;
      const { check } = entry;
      if (check === undefined) {
        strangers = true;
        continue;
      }
      if (check(property, run)) continue;
      ok = false;
      mark = place(run, mark, entry.place);
      if (!run.room) return false;
    }
    spend(run, keySteps(keys));
    if (missing > 0) {
      spend(run, size);
      for (const key of needed) if (own(value, key) === undefined) ok = fail(run, node, 'required', key);
    }
    return (!strangers || others === undefined || others(value, run)) && ok;
  };
}

/** `patternProperties` and `additionalProperties`. */
function otherProperties(
  node: Node,
  { properties = [], patternProperties = [], additionalProperties }: Keywords,
  compiler: Compiler,
): Check<Properties> | undefined {
  const rest = restCheck(node, 'additionalProperties', additionalProperties, compiler);
  if (!patternProperties.length && !rest) return undefined;
  const patterns = patternProperties.map(
    ([source, child]) => [matcher(node, source), compiler.check(child)] as const,
  );
  const named = new Map(properties);
  return (value, run) =>
    each(shown(value, run), run, (key) => {
      let matched = named.has(key);
      let ok = true;
      for (const [matches, check] of patterns) {
        if (!matches(key, run)) continue;
        matched = true;
        ok = check(value[key], run) && ok;
      }
      if (!matched && rest) ok = rest(value[key], run, key);
      return ok;
    });
}

/** Checks a property or item that no other keyword has checked; if none is allowed, the error names it. Undefined if any is allowed. */
export function restCheck(
  node: Node,
  keyword: 'additionalProperties' | 'unevaluatedProperties' | 'unevaluatedItems',
  child: Node | undefined,
  compiler: Compiler,
): ((value: unknown, run: Run, key: string) => boolean) | undefined {
  if (!child || child.keywords === true) return undefined;
  if (child.keywords) return compiler.check(child);
  const known = (node.keywords as Keywords).properties?.map(([key]) => key);
  return (_, run, key) => fail(run, node, keyword, key, known);
}

/** The rules for arrays: lengths, `items` and `prefixItems`. */
export function arrayChecks(node: Node, { prefixItems = [], items }: Keywords, compiler: Compiler): Check<Items>[] {
  const checks: Check<Items>[] = lengthChecks(node, 'minItems', 'maxItems');
  if (!prefixItems.length && !items) return checks;
  const [fits = accept] = checks;
  const first = prefixItems.map(compiler.check);
  const rest = items && compiler.check(items);
  const sure = certain(items);
  const ahead = first.length;
  return [(value, run) => {
    let ok = fits(value, run);
    if (!ok && !run.room) return false;
    const length = rest ? value.length : Math.min(ahead, value.length);
    spend(run, length);
    for (let i = 0, mark = run.last; i < length; i++) {
      const item = value[i];
      if (i >= ahead && isCertain(sure, item)) continue;
      const check = i < ahead ? first[i] : rest;
      if (!check || check(item, run)) continue;
      ok = false;
      mark = place(run, mark, '/' + i);
      if (!run.room) break;
    }
    return ok;
  }];
}

/**
 * The values that certainly satisfy a schema, as far as one or two comparisons can tell: its check is not called for them. The
 * engine cannot inline the check, since each schema has another one; it can inline a comparison with this data.
 */
interface Certain {
  /** 0: the check decides about every value. */
  readonly kind: 0 | typeof text | typeof number | typeof integer | typeof truth | typeof option;
  /** For a text the least length; a number must exceed it. */
  readonly low: number;
  /** For a text the greatest length; a number must be below it. */
  readonly high: number;
  readonly options: readonly unknown[];
}

const text = 1;
const number = 2;
const integer = 3;
const truth = 4;
const option = 5;

/** The keywords that a comparison can decide. */
const decidable = new Set([
  'type', 'enum', 'minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'default',
]);

/** With more options a set is faster. */
const fewOptions = 8;

/** The values that certainly satisfy a node. Empty without a node. */
function certain(node: Node | undefined): Certain {
  const keywords = typeof node?.keywords === 'object' ? node.keywords : {};
  const kind = kindOf(keywords);
  const { minLength = 0, maxLength = Infinity, minimum = -Infinity, maximum = Infinity, enum: options = [] } = keywords;
  const { exclusiveMinimum = minimum, exclusiveMaximum = maximum } = keywords;
  // A character is one or two units: a text with twice `minLength` units has enough characters.
  if (kind === text) return { kind, low: 2 * minLength, high: maxLength, options };
  return { kind, low: Math.max(minimum, exclusiveMinimum), high: Math.min(maximum, exclusiveMaximum), options };
}

function kindOf(keywords: Keywords): Certain['kind'] {
  if (!Object.keys(keywords).every((keyword) => decidable.has(keyword))) return 0;
  // Of several types only the first: values of the others are left to the check.
  const { type: [type] = [], enum: options } = keywords;
  if (options) {
    const plain = (type === undefined || type === 'string') && options.length <= fewOptions
      && options.every((one) => typeof one === 'string');
    return plain && keywords.minLength === undefined && keywords.maxLength === undefined ? option : 0;
  }
  return type === 'string' ? text : type === 'number' ? number : type === 'integer' ? integer : type === 'boolean' ? truth : 0;
}

/** Whether a value certainly satisfies the schema. */
function isCertain({ kind, low, high, options }: Certain, value: unknown): boolean {
  switch (kind) {
    case text:
      return typeof value === 'string' && value.length >= low && value.length <= high;
    case number:
      return typeof value === 'number' && value > low && value < high;
    case integer:
      return typeof value === 'number' && value > low && value < high && Number.isInteger(value);
    case truth:
      return typeof value === 'boolean';
    case option:
      for (let i = 0; i < options.length; i++) if (options[i] === value) return true;
      return false;
    default:
      return false;
  }
}
