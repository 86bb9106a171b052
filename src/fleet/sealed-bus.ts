import type { Clock } from '../bounds/clock.ts';
import { Faults } from '../bounds/faults.ts';
import { fromBase64Url, toBase64 } from '../jsonrpc/internal-exports.ts';
import { aesGcm } from '../server/internal-exports.ts';
import type { AesGcm } from '../server/internal-exports.ts';
import type { Bus, BusHandler } from './engine.ts';

/**
 * Reports a message on the bus that was refused: no process with the fleet's keys has sent it to this one, or it is a
 * duplicate.
 */
export class BusMessageRefused extends Error {
  /** `bus_message_refused`. */
  readonly code = 'bus_message_refused';

  constructor(why: string) {
    super(`a message on the bus of the fleet was refused: ${why}`);
    this.name = 'BusMessageRefused';
  }
}

const purpose = 'barewire fleet bus';
const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** The key of one process. Each process has its own, so that few messages are sealed under one key. */
async function keyOf(secret: Uint8Array, process: string): Promise<AesGcm> {
  // As in `aesGcm`: the module of Node.js answers synchronously.
  const node = globalThis.process?.getBuiltinModule?.('node:crypto');
  if (node) return aesGcm(new Uint8Array(node.hkdfSync('sha256', secret, process, purpose, 32)));
  const base = await crypto.subtle.importKey('raw', new Uint8Array(secret), 'HKDF', false, ['deriveBits']);
  const how = { name: 'HKDF', hash: 'SHA-256', salt: utf8(process), info: utf8(purpose) };
  return aesGcm(new Uint8Array(await crypto.subtle.deriveBits(how, base, 256)));
}

/** A message before it is decrypted. */
interface Sealed {
  readonly from: string;
  readonly count: string;
  readonly at: string;
  readonly bytes: Uint8Array;
}

function readSealed(text: string): Sealed | undefined {
  const [, from = '', count = '', at = '', body = ''] = /^([a-z\d]{1,40}) ([a-z\d]{1,11}) ([a-z\d]{1,11}) ([\w-]+)$/.exec(text) ?? [];
  const bytes = fromBase64Url(body);
  return from === '' || bytes === undefined ? undefined : { from, count, at, bytes };
}

/**
 * Returns a bus that authenticates messages, for an engine to which others can write. Each message is encrypted with a
 * key that is derived from the fleet's first key and from the name of the sender. It is bound to its receiving process
 * or topic, its number and its time. A forged, changed, misdirected or repeated message is dropped and reported as
 * `BusMessageRefused`. Any of `keys` decrypts. `self`: the name under which `bus` was joined. Long function: its short
 * functions share the keys and the numbers of messages.
 */
export async function sealedBus(
  bus: Bus, self: string, keys: readonly Uint8Array[], report: (error: Error) => void,
  clock: Clock,
): Promise<Bus> {
  const own = await keyOf(keys[0] as Uint8Array, self);
  const senders = new Senders<AesGcm>(clock);
  const faults = new Faults(report, clock);
  const counts = { to: 0, all: 0 };
  let sealing: Promise<unknown> = Promise.resolve();
  let opening: Promise<unknown> = Promise.resolve();

  /** Encrypts a message to one process or to all. Calls end in their order, so that messages are sent in order. */
  function seal(whom: 'to' | 'all', name: string, text: string): Promise<string> {
    const head = `${self} ${(++counts[whom]).toString(36)} ${clock.now().toString(36)}`;
    const sealed = sealing.then(async () => `${head} ${toBase64(await own.seal(`${whom} ${name} ${head}`, text), 'base64url')}`);
    sealing = sealed.catch(() => {});
    return sealed;
  }

  /** Returns the text of a message; undefined if it was refused. */
  async function open(place: string, text: string): Promise<string | undefined> {
    const refuse = (why: string): undefined => void faults.add(() => new BusMessageRefused(why));
    const sealed = readSealed(text);
    if (sealed === undefined) return refuse('it is not encrypted');
    const { from, count, at, bytes } = sealed;
    const bound = `${place} ${from} ${count} ${at}`;
    const known = senders.keyOf(from);
    let opened = known && await tryOpen(known, bound, bytes);
    let key = known;
    for (const secret of opened === undefined ? keys : []) {
      key = await keyOf(secret, from);
      opened = await tryOpen(key, bound, bytes);
      if (opened !== undefined) break;
    }
    if (opened === undefined || key === undefined) {
      return refuse(`no key of the fleet decrypts it (${place}): it was forged or changed, is for another process, or its sender has other keys`);
    }
    const why = senders.take(from, key, place, Number.parseInt(count, 36), Number.parseInt(at, 36));
    return why === undefined ? opened : refuse(`${why} (from the process ${from})`);
  }

  /** Runs the functions one after another, so that messages are passed on in the order in which they came. */
  const inOrder = (then: () => Promise<void> | void): void => {
    opening = opening.then(then).catch((thrown: unknown) => report(thrown as Error));
  };

  const handlerOf = (handler: BusHandler): BusHandler => ({
    message: (text) => inOrder(async () => {
      const opened = await open(`to ${self}`, text);
      if (opened !== undefined) handler.message(opened);
    }),
    told: (topic, text) => inOrder(async () => {
      const opened = await open(`all ${topic}`, text);
      if (opened !== undefined) handler.told(topic, opened);
    }),
    gap: () => inOrder(() => handler.gap()),
    lost: () => inOrder(() => handler.lost()),
    left: (process) => inOrder(() => handler.left?.(process)),
  });

  return {
    leaseMs: bus.leaseMs,
    send: async (process, message) => bus.send(process, await seal('to', process, message)),
    tell: async (topic, message) => bus.tell(topic, await seal('all', topic, message)),
    gone: (processes) => bus.gone(processes),
    receive: (handler) => bus.receive(handlerOf(handler)),
    async leave() {
      faults.end();
      await bus.leave();
    },
  };
}

async function tryOpen(key: AesGcm, bound: string, bytes: Uint8Array): Promise<string | undefined> {
  try {
    return await key.open(bound, bytes);
  } catch {
    return undefined;
  }
}

/** The most processes that are remembered. The process with the newest message is at the end. */
const mostSenders = 1000;
/** By how many positions messages to all may arrive out of order. */
const window = 1024;
/** Milliseconds by which clocks may differ. */
const clocksDifferMs = 300_000;

/** The messages of one process so far. */
interface Sender<K> {
  readonly key: K;
  /** By receiver (this process or a topic): the highest number, and the numbers seen below it. */
  readonly places: Map<string, Numbers>;
  /** When its newest message was sent, by its own clock. */
  at: number;
}

interface Numbers {
  highest: number;
  readonly seen: Set<number>;
}

/** The processes that have sent messages here, so that no message is taken twice. `K` is the key of a sender. */
class Senders<K> {
  readonly #known = new Map<string, Sender<K>>();
  readonly #clock: Clock;
  #started: number;
  /** If its sender is not remembered, a message with this time or an earlier one may have been taken before. */
  #forgotten = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#started = clock.now();
  }

  keyOf(from: string): K | undefined {
    return this.#known.get(from)?.key;
  }

  /** Records an authentic message. Returns the reason if it is refused; undefined if it is accepted. */
  take(from: string, key: K, place: string, count: number, at: number): string | undefined {
    const known = this.#known.get(from);
    if (known === undefined && at <= this.#forgotten) return 'it may be a duplicate';
    // The clock may have been set back since.
    this.#started = Math.min(this.#started, this.#clock.now());
    // It was sent before this process existed.
    if (known === undefined && place.startsWith('all ') && at < this.#started - clocksDifferMs) {
      return 'it was sent minutes before this process started: it was delayed, or the clocks of the machines differ';
    }
    const sender: Sender<K> = known?.key === key ? known : { key, places: known?.places ?? new Map(), at };
    const numbers = sender.places.get(place) ?? { highest: 0, seen: new Set<number>() };
    // Messages of an inbox come in order.
    const least = place.startsWith('to ') ? numbers.highest : numbers.highest - window;
    if (count <= least || numbers.seen.has(count)) return 'it is a duplicate or too late';
    if (place.startsWith('all ')) note(numbers, count);
    numbers.highest = Math.max(numbers.highest, count);
    sender.places.set(place, numbers);
    sender.at = Math.max(sender.at, at);
    this.#keep(from, sender);
    return undefined;
  }

  #keep(from: string, sender: Sender<K>): void {
    this.#known.delete(from);
    this.#known.set(from, sender);
    if (this.#known.size <= mostSenders) return;
    const [oldest, { at }] = this.#known.entries().next().value as [string, Sender<K>];
    this.#known.delete(oldest);
    this.#forgotten = Math.max(this.#forgotten, Math.min(at, this.#clock.now()));
  }
}

function note({ seen, highest }: Numbers, count: number): void {
  seen.add(count);
  if (seen.size <= 2 * window) return;
  for (const one of seen) if (one <= highest - window) seen.delete(one);
}
