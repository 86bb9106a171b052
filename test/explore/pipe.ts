import { peerBudget } from '../../src/bounds/budget.ts';
import type { Budget } from '../../src/bounds/budget.ts';
import { decode, decodeUnchecked } from '../../src/jsonrpc/message.ts';
import { pipeOutlet } from '../../src/jsonrpc/inbound-request.ts';
import type { ClientReceiver, ClientTransport } from '../../src/transport/client-port.ts';
import type { Auth } from '../../src/transport/auth.ts';
import type { ServedClient, ServerPort } from '../../src/transport/server-port.ts';
import type { Step } from './explorer.ts';

/** A message in transit. */
interface OnItsWay {
  readonly text: string;
  /** The text, parsed once. */
  readonly message: Message;
  /** Its number and kind. The same message has the same label in every order. */
  readonly label: string;
}

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly requestId?: string | number; readonly progressToken?: string | number; readonly progress?: number };
  readonly error?: object;
}

/** The messages of one side, with their invariants. */
class Side {
  readonly name: string;
  /** Ids of requests that the side received, and whose cancellation it received before it answered. */
  readonly cancelled: Set<string | number> = new Set();
  readonly asked: Set<string | number> = new Set();
  readonly answered: Set<string | number> = new Set();
  readonly #progress = new Map<string | number, number>();
  closed = false;

  constructor(name: string) {
    this.name = name;
  }

  /** Checks a message that this side sends. */
  says({ id, method, params }: Message): void {
    if (this.closed) throw new Error(`${this.name} says something after the end: ${method ?? `the answer ${id}`}`);
    if (method === undefined && id !== undefined) {
      if (this.answered.has(id)) throw new Error(`${this.name} answers ${id} twice`);
      if (!this.asked.has(id)) throw new Error(`${this.name} answers ${id}, which nobody asked`);
      if (this.cancelled.has(id)) throw new Error(`${this.name} answers ${id}, which was cancelled`);
      this.answered.add(id);
    }
    if (method === 'notifications/progress') {
      const { progressToken = '', progress = NaN } = params ?? {};
      if (!(progress > (this.#progress.get(progressToken) ?? -Infinity))) throw new Error(`progress of ${progressToken} does not grow`);
      if (this.cancelled.has(progressToken)) throw new Error(`progress of ${progressToken}, which was cancelled`);
      if (this.answered.has(progressToken)) throw new Error(`progress of ${progressToken} after its answer`);
      this.#progress.set(progressToken, progress);
    }
  }

  /** Records a message that this side receives. */
  hears({ id, method, params }: Message): void {
    if (method !== undefined && id !== undefined) this.asked.add(id);
    const cancelled = params?.requestId;
    if (method === 'notifications/cancelled' && cancelled !== undefined && this.asked.has(cancelled) && !this.answered.has(cancelled)) this.cancelled.add(cancelled);
  }

  /** Ids of requests that this side still has to answer. */
  get owed(): (string | number)[] {
    return [...this.asked].filter((id) => !this.answered.has(id) && !this.cancelled.has(id));
  }
}

/** A connection between a client and a server. A message arrives only when the explorer delivers it. */
export class Pipe {
  readonly client: Side = new Side('the client');
  readonly server: Side = new Side('the server');
  readonly budget: Budget = peerBudget();
  readonly transport: ClientTransport;
  readonly #port: ServerPort;
  #toServer: OnItsWay[] = [];
  #toClient: OnItsWay[] = [];
  readonly #counts = { toServer: 0, toClient: 0 };
  #receiver: ClientReceiver | undefined;
  #peer: ServedClient | undefined;
  /** True after the client has closed the connection and until the server notices. */
  #ending = false;
  #fault: Error | undefined;

  /** `auth`: the identity of the client. */
  constructor(port: ServerPort, auth?: Auth) {
    this.#port = port;
    this.transport = {
      kind: 'pipe',
      open: async (receiver) => {
        this.#receiver = receiver;
        this.#peer = this.#port.connect(pipeOutlet((text) => this.#send(this.server, text)), { budget: this.budget, ...auth && { auth } });
      },
      send: (text) => this.#send(this.client, text),
      close: async () => {
        if (this.client.closed) return;
        this.client.closed = true;
        this.#toClient = [];
        this.#ending = true;
      },
    };
  }

  get open(): boolean {
    return !this.client.closed && !this.server.closed;
  }

  #send(side: Side, text: string): void {
    const message = JSON.parse(text) as Message;
    // The code under test would catch an error thrown here, so keep it for `check`.
    try {
      side.says(message);
    } catch (error) {
      this.#fault ??= error as Error;
    }
    const [way, number] = side === this.client ? [this.#toServer, ++this.#counts.toServer] : [this.#toClient, ++this.#counts.toClient];
    way.push({ text, message, label: `${number}: ${short(message)}` });
  }

  check(): void {
    if (this.#fault) throw this.#fault;
    for (const side of [this.client, this.server]) if (side.owed.length > 100) throw new Error('too much is owed');
  }

  /** Delivers messages until none is in transit. */
  async flush(calm: () => Promise<void>): Promise<void> {
    for (;;) {
      await calm();
      const [step] = this.steps(calm);
      if (step === undefined) return;
      await step.run();
    }
  }

  steps(calm: () => Promise<void>): Step[] {
    const steps: Step[] = [];
    const [up] = this.#toServer;
    const [down] = this.#toClient;
    if (up && !this.server.closed) {
      steps.push({
        name: `the server gets ${up.label}`,
        touches: ['server'],
        run: () => {
          this.#toServer.shift();
          this.server.hears(up.message);
          this.#peer?.receive(decodeUnchecked(up.text));
          return calm();
        },
      });
    } else if (this.#ending && !this.server.closed) {
      steps.push({
        name: 'the server sees the end of the pipe',
        touches: ['server'],
        run: () => {
          this.#ending = false;
          this.#peer?.close('the client closed the pipe');
          this.server.closed = true;
          return calm();
        },
      });
    }
    if (down && !this.client.closed) {
      steps.push({
        name: `the client gets ${down.label}`,
        touches: ['client'],
        run: () => {
          this.#toClient.shift();
          this.client.hears(down.message);
          this.#receiver?.message(decode(down.text));
          return calm();
        },
      });
    }
    return steps;
  }

  /** Breaks the connection: both sides see its end. */
  break(): void {
    this.#toServer = [];
    this.#toClient = [];
    this.server.closed = this.client.closed = true;
    this.#peer?.close('the pipe broke');
    this.#receiver?.closed('the pipe broke');
  }
}

function short({ id, method }: Message): string {
  return method === undefined ? `answer ${id}` : id === undefined ? method.replace('notifications/', '') : `${method} ${id}`;
}
