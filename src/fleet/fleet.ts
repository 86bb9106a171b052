import { systemClock } from '../bounds/clock.ts';
import type { Clock } from '../bounds/clock.ts';
import { checkOptions } from '../bounds/options.ts';
import { tell } from '../jsonrpc/internal-exports.ts';
import { ToolError } from '../server/index.ts';
import type { SpentStates } from '../server/index.ts';
import { keyBytes, requestStateSealer } from '../server/internal-exports.ts';
import type { FleetPort } from '../transport/internal-exports.ts';
import { isUndeliverable } from './engine.ts';
import type { Bus, FleetEngine } from './engine.ts';
import { failureDetector } from './failure-detector.ts';
import type { FailureDetector } from './failure-detector.ts';
import { deliver, undelivered } from './forwarding.ts';
import { joinChanges } from './joined-changes.ts';
import type { JoinedChanges } from './joined-changes.ts';
import type { FleetMessage, Told } from './messages.ts';
import { randomName } from './names.ts';
import type { FleetProcess, SharedSessions, StoringProcess } from './process.ts';
import { Retries } from './retries.ts';
import { sealedBus } from './sealed-bus.ts';
import { maxSessionId, sealedSessions } from './sealed-sessions.ts';
import { storedSessions } from './stored-sessions.ts';

/** The options of `fleet`. */
export interface FleetOptions {
  /**
   * Secrets of 32 bytes, the same in all processes: the first encrypts, all of them decrypt. They may be those of
   * `requestState`, and are rotated in the same three phases.
   */
  readonly keys: readonly Uint8Array[];
  /**
   * Carries messages between the processes, and stores sessions and their streams if it has stores for them. Without an
   * engine, legacy clients cannot be asked, HTTP+SSE is not served, and a cancellation only reaches the process that
   * happens to receive it.
   */
  readonly engine?: FleetEngine | undefined;
  /**
   * Milliseconds after which a sealed session ends, used or not: no process knows of all its uses. 24 hours. Sessions
   * in the engine's store end after `sessionIdleMs` without use.
   */
  readonly sessionMaxMs?: number | undefined;
  /** The clock. Default: the runtime's clock. */
  readonly clock?: Clock | undefined;
  /** Gets the errors that no client can be told of. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** Remembers DPoP proofs for all processes: `ProofReplays` of `barewire/oauth`. */
export interface SharedProofs {
  /** Whether the proof (`jti`, signed by `key`) is new; it is remembered until `expires`, in milliseconds since the epoch. */
  add(proof: { readonly key: string; readonly jti: string; readonly expires: number }): Promise<boolean>;
}

/** This process's place in a fleet: the `fleet` option of `serveHttp`, `httpListener` and `fetchHandler`. */
export interface Fleet extends FleetPort {
  /** The random name of this process, which no other process has. */
  readonly process: string;
  /** For `requestState: { singleUse }`: no process opens a state twice. Undefined if the engine has no `spent` store. */
  readonly spentStates: SpentStates | undefined;
  /** For `bearer({ dpop: { replays } })`: no process takes a DPoP proof twice. Undefined if the engine has no `spent` store. */
  readonly proofReplays: SharedProofs | undefined;
  /** Leaves the bus. Call it after the HTTP server has closed. */
  close(): Promise<void>;
}

const topic = 'barewire.fleet';

/**
 * Makes this process one of several that serve the same sessions behind any load balancer. Rejects with a TypeError for
 * an unknown or malformed option and without keys, with a RangeError for a key of another length, and with the engine's
 * error if the engine cannot be reached.
 */
export async function fleet(options: FleetOptions): Promise<Fleet> {
  checkFleetOptions(options);
  const { keys, engine, onError, clock = systemClock } = options;
  const report = (thrown: unknown): void => tell(onError, thrown);
  const name = randomName();
  const joined = await engine?.join(name);
  const bus = joined && failureDetector(await sealedBus(joined, name, keys, report, clock), name, report, clock);
  const started = clock.now();
  const retries = new Retries(clock);
  const awaited = new Set<Promise<unknown>>();
  const tables: SharedSessions[] = [];
  const self = processOn(bus, name, options, retries, report);
  const { sessions, streams, spent } = engine ?? {};
  const storing: StoringProcess | undefined = bus && sessions && streams && {
    ...self, sessions, streams, failures: bus,
    insist(to, message) {
      retries.add(`${message.kind} ${to} ${'ticket' in message ? message.ticket : ''}`, () => self.send(to, message));
    },
    lists: () => ({ started, changed: changes?.changed ?? 0 }),
    awaited(promise) {
      awaited.add(promise);
      promise.finally(() => awaited.delete(promise));
    },
  };
  const changes = bus && joinChanges((change) => void self.tell({ kind: 'changed', change }).catch(report), report, clock);
  if (bus) listen(bus, self, tables, changes, report);

  return {
    process: name,
    spentStates: spent && { spend: (id, expiresAt) => spent.spend('state', id, expiresAt) },
    up: joined ? engineUp(joined, name, clock) : async () => true,
    proofReplays: spent && {
      add: ({ key, jti, expires }) => spent.spend('proof', JSON.stringify([key, jti]), expires),
    },
    share(services, local) {
      changes?.share(services.server);
      const table = storing ? storedSessions(storing, services, local) : sealedSessions(self, services, local);
      tables.push(table);
      return table;
    },
    async close() {
      changes?.end();
      retries.end();
      for (const table of tables) table.close();
      while (awaited.size > 0) await Promise.allSettled(awaited);
      bus?.end();
      // If the engine cannot be reached, the lease expires by itself.
      await self.tell({ kind: 'left' }).catch(report);
      await bus?.leave().catch(report);
    },
  };
}

/** Milliseconds for which an answer of the engine is reused: the engine gets at most one such call in that time. */
const upMs = 1000;

/** Returns a function that checks whether the engine answers within half a lease, and knows this process. */
function engineUp(bus: Bus, name: string, clock: Clock): () => Promise<boolean> {
  let asked: Promise<boolean> | undefined;
  return () => {
    if (asked) return asked;
    const slow = new Promise<boolean>((resolve) => void clock.after(bus.leaseMs / 2, () => resolve(false), true));
    const found = bus.gone([name]).then((gone) => gone.length === 0, () => false);
    asked = Promise.race([found, slow]);
    void asked.then(() => clock.after(upMs, () => (asked = undefined), true));
    return asked;
  };
}

function checkFleetOptions(options: FleetOptions): void {
  checkOptions('fleet: options', options, { keys: 'list', engine: 'object', sessionMaxMs: 'number', clock: 'object', onError: 'function' });
  const { keys } = options;
  if (!Array.isArray(keys) || keys.length === 0) {
    throw new TypeError('fleet: options.keys must be a list of secrets of 32 bytes, the same in all processes');
  }
  for (const key of keys) {
    if (key.length !== keyBytes) throw new RangeError(`fleet: a key in options.keys has ${key.length} bytes, expected ${keyBytes}`);
  }
}

/** Makes this process's part of the fleet, with or without a bus. */
function processOn(
  bus: Bus | undefined, name: string, { keys, sessionMaxMs = 86_400_000, clock = systemClock }: FleetOptions, retries: Retries,
  report: (thrown: unknown) => void,
): FleetProcess {
  let names = 0;
  const kept = undelivered();
  const tell = async (told: Told): Promise<void> => bus?.tell(topic, JSON.stringify({ from: name, told }));
  const insistTold = (kind: 'missed' | 'lapsed'): void => retries.add(kind, () => tell({ kind }));
  const newName = (): string => `${name}-${(++names).toString(36)}`;
  const self: FleetProcess = {
    name, clock, sessionMaxMs, newName, insistTold,
    connected: bus !== undefined,
    sealer: requestStateSealer({ keys, ttlMs: sessionMaxMs, maxLength: maxSessionId }, undefined, clock),
    questionId() {
      if (bus === undefined) {
        throw new ToolError('This server cannot send requests over this session: its fleet has no bus to carry the response');
      }
      return newName();
    },
    async send(to, message) {
      try {
        await bus?.send(to, JSON.stringify(message));
      } catch (thrown) {
        if (message.kind === 'message' && isUndeliverable(thrown)) kept.keep(to, message);
        throw thrown;
      }
    },
    tell: (told) => tell(told).catch((thrown: unknown) => {
      // The message itself is not kept: later the others only learn that they have missed a message.
      insistTold('missed');
      throw thrown;
    }),
    resend(to) {
      for (const message of kept.take(to)) self.send(to, message).catch(report);
    },
  };
  return self;
}

/** Handles the messages of the bus. Long function: one object with a function for each kind of message. */
function listen(
  bus: FailureDetector, self: FleetProcess, tables: readonly SharedSessions[], changes: JoinedChanges | undefined,
  report: (thrown: unknown) => void,
): void {
  /** Runs a function that reads a message of another process, and reports its errors. */
  function attempt(read: () => void): void {
    try {
      read();
    } catch (thrown) {
      report(thrown);
    }
  }

  function receive(message: FleetMessage): void {
    for (const table of tables) {
      if (message.kind === 'message') deliver(table, message);
      else table.receive(message);
    }
  }

  function hear(from: string, told: Told): void {
    if (told.kind === 'record' || told.kind === 'ended') {
      for (const table of tables) table.hear(told);
      return;
    }
    // This process acted before it sent the message to all.
    if (from === self.name) return;
    if (told.kind === 'cancelled') receive(told.carried);
    else if (told.kind === 'changed') changes?.hear(told.change);
    else if (told.kind === 'left') bus.left(from);
    else if (told.kind === 'lapsed') lapsed(from);
    else missed();
  }

  /** The process was taken for gone, but lives. */
  function lapsed(process: string): void {
    bus.lives(process);
    for (const table of tables) table.lapsed(process);
    self.resend(process);
  }

  /** Messages to all may not have arrived here. */
  function missed(): void {
    changes?.everything();
    for (const table of tables) table.missed();
  }

  bus.receive({
    message: (text) => attempt(() => receive(JSON.parse(text) as FleetMessage)),
    told: (about, text) => attempt(() => {
      if (about !== topic) return;
      const { from, told } = JSON.parse(text) as { from: string; told: Told };
      hear(from, told);
    }),
    gap: () => attempt(() => {
      missed();
      for (const table of tables) table.lapsed();
    }),
    lost: () => attempt(() => {
      missed();
      for (const table of tables) table.lapsed();
      self.insistTold('lapsed');
    }),
    left: (process) => attempt(() => bus.left(process)),
  });
}
