import type { ClientTransport } from '../client-port.ts';
import type { ServerPort } from '../server-port.ts';

/** How a transport is opened for one test. */
export interface OpenOptions {
  /** Bytes of one message that either side takes. Undefined: the default of the transport. */
  readonly maxMessageBytes?: number | undefined;
  /** Where bytes pass: cut what either side sends into pieces of this many bytes. Transports of whole messages leave it out. */
  readonly cutEvery?: number | undefined;
}

/** A server and a client that the transport connects. */
export interface OpenedTransport {
  /** The client's side, not opened yet. */
  readonly client: ClientTransport;
  /** Ends the server's side, as its program would. */
  closeServer(): Promise<void> | void;
  /** Lets go of what the test needed besides: ports, files. */
  release?(): Promise<void> | void;
  /** The bound of a message that holds in this test, in bytes. Undefined: the transport has none. */
  readonly maxMessageBytes?: number | undefined;
  /** Sends bytes as they are, in place of a message. Undefined: the transport carries no bytes. */
  readonly raw?: {
    /** Sends bytes to the server. */
    toServer(bytes: Uint8Array): void;
    /** Sends bytes to the client. */
    toClient(bytes: Uint8Array): void;
  } | undefined;
  /** Milliseconds after which something that does not come counts as lost. 10,000. */
  readonly patienceMs?: number | undefined;
  /** `true`: the client's side of the wire reads nothing for now. Undefined: the wire cannot wait. */
  hold?(on: boolean): void;
}

/** Serves the server over the transport that is tested, on a wire that only this test uses. */
export type OpenTransport = (server: ServerPort, options: OpenOptions) => Promise<OpenedTransport>;

/** One test that each transport has to pass. */
export interface TransportTest {
  readonly name: string;
  /** Whose part of the transport it looks at. */
  readonly role: 'client' | 'server' | 'both';
  /** Rejects where the transport does not do what it must. Resolves with the reason where it does not apply. */
  run(open: OpenTransport): Promise<string | undefined>;
}

/** A test of the kit: `skip` ends it where it does not apply. */
export interface WrittenTest extends Omit<TransportTest, 'run'> {
  run(open: OpenTransport): Promise<void>;
}

class NotApplicable extends Error {}

/** Ends a test that does not apply. */
export function skip(reason: string): never {
  throw new NotApplicable(reason);
}

/** Has a test resolve with the reason where it does not apply. */
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

/** Throws where two values differ as JSON, and names the first difference of long lists. */
export function same(found: unknown, wanted: unknown, what: string): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (one === other) return;
  if (Array.isArray(found) && Array.isArray(wanted)) {
    const at = wanted.findIndex((item, i) => JSON.stringify(item) !== JSON.stringify(found[i]));
    check(at < 0, `${what}: number ${at} is ${brief(found[at])} in place of ${brief(wanted[at])}`);
    check(false, `${what}: there are ${found.length} in place of ${wanted.length}`);
  }
  check(false, `${what}: ${brief(found)} in place of ${brief(wanted)}`);
}

const brief = (value: unknown): string => (JSON.stringify(value) as string | undefined ?? 'nothing').slice(0, 200);
