// Values that handlers may throw or return and that break ordinary code: proxies whose every trap throws, getters that throw, at once or
// the second time, objects without a prototype, values that JSON cannot represent. Each has `secret` where only the author may see it.
import { RpcError, ToolError } from '../../src/server/index.ts';

export const secret = 'hunter2';

const hurt = (): never => {
  throw new Error(secret);
};

/** A proxy whose every operation throws. */
export function untouchable(target: object): object {
  const traps = Object.fromEntries([
    'get', 'set', 'has', 'ownKeys', 'getPrototypeOf', 'setPrototypeOf', 'getOwnPropertyDescriptor', 'defineProperty', 'deleteProperty', 'isExtensible',
    'preventExtensions', 'apply', 'construct',
  ].map((name) => [name, hurt]));
  return new Proxy(target, traps);
}

/** A proxy of which only `get` throws. */
const unreadable = (target: object): object => new Proxy(target, { get: hurt });

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** An object with a member that throws from the `after`-th read on. */
function spiked<T extends object>(target: T, name: PropertyKey, after = 0): T {
  let read = 0;
  const value: unknown = (target as Record<PropertyKey, unknown>)[name];
  return Object.defineProperty(target, name, {
    configurable: true, enumerable: true,
    get() {
      if (read++ >= after) hurt();
      return value;
    },
  });
}

const circle: Record<string, unknown> = {};
circle['circle'] = circle;

/** Values of a wrong type for a text or a number. */
const odd: readonly (readonly [name: string, make: () => unknown])[] = [
  ['undefined', () => undefined], ['null', () => null], ['a number', () => 7], ['NaN', () => NaN], ['a bigint', () => 7n], ['a symbol', () => Symbol(secret)],
  ['a function', () => hurt], ['a list', () => ['text']], ['an object', () => ({ a: 1 })], ['an object without a prototype', () => Object.create(null)],
  ['toString throws', () => ({ toString: hurt })], ['toString gives an object', () => ({ toString: () => ({}), valueOf: () => ({}) })],
  ['toPrimitive throws', () => ({ [Symbol.toPrimitive]: hurt })], ['toJSON throws', () => ({ toJSON: hurt })], ['a circle', () => circle],
  ['an untouchable object', () => untouchable({})], ['an untouchable function', () => untouchable(hurt)], ['an untouchable list', () => untouchable([])],
  ['an unreadable object', () => unreadable({})], ['a revoked proxy', () => revoked({})],
];

const errors: readonly (readonly [name: string, make: () => Error])[] = [
  ['an Error', () => new Error(secret)], ['a TypeError', () => new TypeError(secret)], ['a ToolError', () => new ToolError('polite')],
  ['an RpcError', () => new RpcError(4000, 'polite', { why: 'because' })],
];

/** An error with this `name`, by which errors of another copy of the package are recognized. */
const named = (error: Error, name: unknown): Error => Object.assign(error, { name });

/** All thrown values, by name. */
export function* thrown(): Generator<readonly [name: string, make: () => unknown]> {
  yield* odd;
  yield ['a text', () => secret];
  for (const [name, make] of errors) {
    yield [name, make];
    yield [`${name}, untouchable`, () => untouchable(make())];
    yield [`${name}, unreadable`, () => unreadable(make())];
    yield [`${name}, revoked`, () => revoked(make())];
    yield [`${name} without a prototype`, () => Object.setPrototypeOf(make(), null) as unknown];
    for (const member of ['message', 'name', 'stack', 'code', 'data', 'cause', 'constructor', 'refusal', 'toString', 'toJSON', 'then', Symbol.toPrimitive]) {
      for (const after of [0, 1, 2]) yield [`${name} with a ${String(member)} that throws after ${after}`, () => spiked(make(), member, after)];
      for (const [what, value] of odd) yield [`${name} whose ${String(member)} is ${what}`, () => Object.assign(make(), { [member]: value() })];
    }
    for (const other of ['AccessDenied', 'MissingCapabilityError', 'Cancelled', 'ConnectionError', 'LeftBehind', 'ToolError', 'RpcError', '__proto__']) {
      yield [`${name} that is called ${other}`, () => named(make(), other)];
    }
  }
}

/** A generator of questions with one broken method. */
const generator = (parts: object): object => ({ next: () => ({ done: true, value: 'fine' }), return: () => ({ done: true }), throw: () => ({ done: true }), [Symbol.iterator]() { return this; }, ...parts });

/** All returned values, by name. */
export function* returned(): Generator<readonly [name: string, make: () => unknown]> {
  yield* odd;
  for (const member of ['content', 'structuredContent', '_meta', 'isError', 'resultType', 'contents', 'messages', 'description', 'type', 'text', 'values', 'toJSON', 'then', 'next', 'resource']) {
    const whole = (): Record<string, unknown> => ({ content: [{ type: 'text', text: 'fine' }] });
    for (const after of [0, 1, 2]) yield [`a result with a ${member} that throws after ${after}`, () => spiked(whole(), member, after)];
    for (const [what, value] of odd) yield [`a result whose ${member} is ${what}`, () => ({ ...whole(), [member]: value() })];
  }
  for (const member of ['type', 'text', 'data', 'mimeType', 'name', 'uri', 'title', 'annotations', '_meta', 'toJSON']) {
    for (const type of ['text', 'audio', 'resource_link', 'image']) {
      for (const [what, value] of odd) yield [`content of type ${type} whose ${member} is ${what}`, () => [{ type, [member]: value() }]];
      yield [`content of type ${type} with a ${member} that throws`, () => [spiked({ type }, member)]];
    }
  }
  for (const json of ['text', 7, null, undefined, [], true]) yield [`a result whose toJSON gives ${JSON.stringify(json) ?? 'undefined'}`, () => ({ content: [], toJSON: () => json })];
  yield ['a list with a hole', () => [, { type: 'text', text: 'fine' }]]; // eslint-disable-line no-sparse-arrays
  yield ['a list that is untouchable within', () => [untouchable({})]];
  yield ['a promise of a subclass whose then throws', () => Object.assign(Promise.resolve('fine'), { then: hurt })];
  yield ['a promise whose constructor throws', () => spiked(Promise.resolve('fine'), 'constructor')];
  yield ['a thenable that throws', () => ({ then: hurt })];
  yield ['a thenable that throws when it has settled', () => ({ then: (done: (value: string) => void) => (done('fine'), hurt()) })];
  yield ['a generator whose next throws', () => generator({ next: hurt })];
  for (const [what, value] of odd) {
    yield [`a generator whose next gives ${what}`, () => generator({ next: value })];
    yield [`a generator that asks ${what}`, () => generator({ next: () => ({ done: false, value: value() }), throw: hurt })];
    yield [`a generator whose step says ${what}`, () => generator({ next: () => ({ done: value(), value: 'fine' }), throw: hurt })];
  }
}
