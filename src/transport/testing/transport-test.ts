import type { ClientTransport } from '../client-port.ts';
import type { ServerPort } from '../server-port.ts';

/** The options of an `OpenTransport` function. */
export interface OpenOptions {
  /** Bytes of one message that either side accepts. Undefined: the default of the transport. */
  readonly maxMessageBytes?: number | undefined;
  /** Cut the bytes that either side sends into pieces of this size. Transports of whole messages ignore it. */
  readonly cutEvery?: number | undefined;
}

/** The two sides of a transport under test. */
export interface OpenedTransport {
  /** The client side, not open yet. */
  readonly client: ClientTransport;
  /** Closes the server side, as its program would. */
  closeServer(): Promise<void> | void;
  /** Releases other resources of the test: ports, files. */
  release?(): Promise<void> | void;
  /** The limit of a message in this test, in bytes. Undefined: the transport has none. */
  readonly maxMessageBytes?: number | undefined;
  /** Sends raw bytes instead of a message. Undefined: the transport carries no bytes. */
  readonly raw?: {
    /** Sends bytes to the server. */
    toServer(bytes: Uint8Array): void;
    /** Sends bytes to the client. */
    toClient(bytes: Uint8Array): void;
  } | undefined;
  /** Milliseconds to wait before a missing message counts as lost. 10,000. */
  readonly patienceMs?: number | undefined;
  /** `true`: pauses reading at the client side. Undefined: the transport cannot pause. */
  hold?(on: boolean): void;
}

/** A function that serves `server` over the transport under test, on a connection that only this test uses. */
export type OpenTransport = (server: ServerPort, options: OpenOptions) => Promise<OpenedTransport>;

/** A test that every transport must pass. */
export interface TransportTest {
  readonly name: string;
  /** The side of the transport that is tested. */
  readonly role: 'client' | 'server' | 'both';
  /** Rejects if the transport fails the test. Resolves with a reason if the test does not apply, otherwise with undefined. */
  run(open: OpenTransport): Promise<string | undefined>;
}

/** A test as written here: it calls `skip` if it does not apply. */
export interface WrittenTest extends Omit<TransportTest, 'run'> {
  run(open: OpenTransport): Promise<void>;
}

class NotApplicable extends Error {}

/** Ends a test that does not apply. */
export function skip(reason: string): never {
  throw new NotApplicable(reason);
}

/** Makes a test resolve with the reason of `skip`. */
export const published = ({ name, role, run }: WrittenTest): TransportTest => ({
  name, role,
  run: (open) => run(open).then(() => undefined, (thrown: unknown) => {
    if (thrown instanceof NotApplicable) return thrown.message;
    throw thrown;
  }),
});

export function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

/** Throws if two values differ as JSON. For lists the error names the first difference. */
export function same(found: unknown, wanted: unknown, what: string): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (one === other) return;
  if (Array.isArray(found) && Array.isArray(wanted)) {
    const at = wanted.findIndex((item, i) => JSON.stringify(item) !== JSON.stringify(found[i]));
    check(at < 0, `${what}: item ${at} is ${brief(found[at])}, expected ${brief(wanted[at])}`);
    check(false, `${what}: ${found.length} items, expected ${wanted.length}`);
  }
  check(false, `${what}: ${brief(found)}, expected ${brief(wanted)}`);
}

const brief = (value: unknown): string => (JSON.stringify(value) as string | undefined ?? 'nothing').slice(0, 200);
