// Broken messages, reproducible by seed.
import { randomOf } from '../random.ts';

export interface Random {
  /** An integer from 0 to `below` - 1. */
  int(below: number): number;
  pick<T>(from: readonly T[]): T;
  chance(of: number): boolean;
}

export function random(seed: number): Random {
  const next = randomOf(seed);
  const int = (below: number): number => Math.floor(next() * below);
  return { int, pick: (from) => from[int(from.length)] as (typeof from)[number], chance: (of) => next() < of };
}

const nested = (depth: number, open: string, close: string): unknown =>
  JSON.parse(open.repeat(depth) + '0' + close.repeat(depth));

/** A placeholder for a value nested deeper than JSON.stringify can write. */
const deep = 'nested very deep';

const junk: readonly (() => unknown)[] = [
  () => null, () => true, () => false, () => 0, () => -1, () => 1.5, () => 2 ** 53, () => 1e308,
  () => '', () => '__proto__', () => 'constructor', () => 'toString', () => '\u0000', () => '\ud800', () => '💥',
  () => 'x'.repeat(10_000), () => [], () => {}, () => [[]], () => ({}), () => ({ toString: 1 }), () => ({ then: 1 }),
  () => JSON.parse('{"__proto__":{"polluted":1}}') as unknown, () => ({ toJSON: 1, length: -1 }),
  () => nested(500, '[', ']'), () => nested(500, '{"a":', '}'), () => deep,
  () => 'tools/call', () => '2026-07-28', () => 'initialize', () => ({ jsonrpc: '2.0' }),
];

/** Values that JSON.stringify never writes. */
const texts = ['1e400', '9007199254740993', '-0', 'undefined', '\ufeff', '"\\ud800"', '{"a":1,"a":2}', '01', "'x'"];

const keys = [
  '__proto__', 'constructor', 'id', 'method', 'params', 'result', 'error', '_meta', 'name', 'arguments', 'x',
];

type Bag = Record<string, unknown>;
const isBag = (value: unknown): value is Bag => typeof value === 'object' && value !== null;

/** Returns the value with one change somewhere; the containers on the path are copies. */
function changed(value: unknown, { int, pick, chance }: Random): unknown {
  if (!isBag(value) || chance(0.1)) return pick(junk)();
  const copy = Array.isArray(value) ? [...value] as unknown as Bag : { ...value };
  const own = Object.keys(copy);
  const key = own.length > 0 ? pick(own) : 'x';
  switch (int(own.length > 0 ? 6 : 1)) {
    case 0:
      Object.defineProperty(copy, pick(keys), {
        value: pick(junk)(), enumerable: true, configurable: true, writable: true,
      });
      break;
    case 1: delete copy[key]; break;
    case 2: copy[pick(own)] = copy[key]; break;
    default: copy[key] = changed(copy[key], { int, pick, chance });
  }
  return copy;
}

/** A message as bytes, in one line, usually with one or more faults. */
export function mutated(message: unknown, other: unknown, by: Random): Uint8Array {
  const { int, pick, chance } = by;
  let value = message;
  if (chance(0.3)) return Buffer.from(JSON.stringify(value));
  while (chance(0.6)) value = changed(value, by);
  let text = JSON.stringify(value) ?? 'undefined';
  if (chance(0.05)) {
    // Replaces a value, or everything if the message has none.
    const values = [...text.matchAll(/(?<=:)(?:"[^"]*"|-?\d+|\{\}|null)/g)];
    const { index, 0: value } = values.length > 0 ? pick(values) : Object.assign([text], { index: 0 });
    text = text.slice(0, index) + pick(texts) + text.slice(index + (value as string).length);
  }
  let bytes = Buffer.from(text.replace(`"${deep}"`, '['.repeat(20_000) + ']'.repeat(20_000)));
  while (chance(0.2)) {
    const at = int(bytes.length + 1);
    const upto = Math.min(bytes.length, at + 1 + int(8));
    switch (int(6)) {
      case 0: bytes[at] = int(256); break;
      case 1: bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(upto)]); break;
      case 2:
        bytes = Buffer.concat([
          bytes.subarray(0, at),
          Buffer.from(Array.from({ length: 1 + int(4) }, () => int(256))),
          bytes.subarray(at),
        ]);
        break;
      case 3: bytes = bytes.subarray(0, at); break;
      case 4: bytes = Buffer.concat([bytes.subarray(0, upto), bytes.subarray(at)]); break;
      default:
        bytes = Buffer.concat([
          bytes, Buffer.from(pick(['', ' ', ',', '\t'])), Buffer.from(JSON.stringify(other)),
        ]);
    }
  }
  return Uint8Array.from(bytes.filter((byte) => byte !== 10 && byte !== 13));
}
