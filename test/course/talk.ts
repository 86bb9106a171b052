import type { Readable, Writable } from 'node:stream';
import { decode } from '../../src/jsonrpc/message.ts';
import { createFramer } from '../../src/jsonrpc/framing.ts';
import { demand, Fault } from './fault.ts';
import type { Bag } from './fault.ts';
import { within } from './program.ts';
import type { Program } from './program.ts';

// The checker's end of a pipe to the reader's program. Barewire's framer and codec split and read the lines, so anything that they refuse
// is a fault of the program.

/** A message for the report. */
export interface Passed {
  /** `-x-`: the client breaks the connection. */
  readonly direction: '-->' | '<--' | '-x-';
  readonly text: string;
}

export interface TalkOptions {
  /** Milliseconds to wait for a message. */
  readonly patienceMs: number;
  /** Milliseconds to wait for the first message, which includes the start of the program. */
  readonly startMs: number;
  /** The checker's role. `-->` marks messages of the client. */
  readonly role: 'client' | 'server';
  readonly passed: Passed[];
  /** The program at the other end: after its end no message can come. */
  readonly program: Program;
}

/** Most milliseconds between the end of a program and that of its pipe. */
const handoverMs = 1000;

export class Talk {
  #out: Writable;
  #options: TalkOptions;
  #lines: string[] = [];
  #closed = false;
  #started = false;
  #wake: () => void = () => {};
  #ids = new Set<unknown>();

  constructor(input: Readable, output: Writable, options: TalkOptions) {
    this.#out = output;
    this.#options = options;
    output.on('error', () => {});
    const framer = createFramer({
      line: (line) => this.#put(line),
      refused: ({ error }) => this.#put(JSON.stringify({ refused: error.message })),
    });
    input.on('data', (chunk: Uint8Array) => framer.push(chunk));
    input.on('error', () => {});
    const over = (): void => {
      if (this.#closed) return;
      framer.end();
      this.#closed = true;
      this.#wake();
    };
    input.on('close', over);
    // Another program may hold the pipe open. By then the remaining messages have come.
    void options.program.gone().then(() => setTimeout(over, handoverMs).unref());
  }

  /** Sends a message; adds `jsonrpc`. */
  say(message: Bag): void {
    this.raw(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  /** Writes a line unchanged. */
  raw(line: string): void {
    this.#note('out', line);
    this.#out.write(`${line}\n`);
  }

  /** Writes bytes unchanged, without a line break. */
  bytes(bytes: Uint8Array, note?: string): void {
    if (note !== undefined) this.#note('out', note);
    this.#out.write(bytes);
  }

  /** Closes the output. */
  end(): void {
    this.#out.end();
  }

  /** Returns the next message, which must be a line of JSON-RPC 2.0. `hoped` describes the expected message for the fault. */
  async next(hoped: string): Promise<Bag> {
    const line = await this.#take();
    if (line === undefined) throw new Fault(hoped, `nothing: ${await this.#why()}${await this.#flushed()}`);
    const decoded = decode(line);
    if (decoded.kind === 'refusal') {
      throw new Fault(`${hoped}, on a line of its own`, `a line that is no message of JSON-RPC 2.0 (${decoded.error.message}): ${line.slice(0, 300)}`);
    }
    if (decoded.kind === 'batch') throw new Fault(hoped, `a batch, which no revision since 2025-06-18 has: ${line.slice(0, 300)}`);
    if (decoded.kind === 'request') {
      const { id } = decoded.message;
      if (this.#ids.has(id)) throw new Fault('every request to have an id of its own', `the id ${JSON.stringify(id)} a second time`);
      this.#ids.add(id);
    }
    return JSON.parse(line) as Bag;
  }

  /** Demands that the next message matches a pattern. */
  async expect(pattern: Bag, hoped: string): Promise<Bag> {
    const message = await this.next(hoped);
    demand({ jsonrpc: '2.0', ...pattern }, message);
    return message;
  }

  /** Sends a request, and demands a matching response. */
  async ask(request: Bag & { readonly id: unknown }, answer: Bag): Promise<Bag> {
    this.say(request);
    return this.expect({ id: request.id, ...answer }, `the answer to ${String(request['method'])}`);
  }

  /** Demands that no message follows, and that the pipe is closed. */
  async closed(hoped: string): Promise<void> {
    const line = await this.#take();
    if (line !== undefined) throw new Fault(hoped, `another message: ${line.slice(0, 300)}`);
    if (!this.#closed) throw new Fault(hoped, `nothing: ${await this.#why()}`);
  }

  #put(line: string): void {
    this.#lines.push(line);
    this.#wake();
  }

  /** The next line; undefined if none comes in time or none can come. */
  async #take(): Promise<string | undefined> {
    if (this.#lines.length === 0 && !this.#closed) {
      await within(new Promise<void>((resolve) => (this.#wake = resolve)), this.#started ? this.#options.patienceMs : this.#options.startMs);
    }
    const line = this.#lines.shift();
    if (line === undefined) return undefined;
    this.#started = true;
    this.#note('in', line);
    return line;
  }

  async #why(): Promise<string> {
    const { program } = this.#options;
    // The program's exit becomes known a little after its pipe has closed.
    if (this.#closed) await within(program.gone(), handoverMs);
    return program.obituary ?? (this.#closed ? 'the program has closed the pipe'
      : `the program was silent for ${this.#started ? this.#options.patienceMs : this.#options.startMs} ms`);
  }

  /**
   * A program that buffers its output is silent too. This closes its input, as a client does at the end: if the program then writes, it had
   * the answer and did not flush it.
   */
  async #flushed(): Promise<string> {
    if (this.#closed) return '';
    this.#out.end();
    await within(new Promise<void>((resolve) => (this.#wake = resolve)), this.#options.patienceMs);
    const [line] = this.#lines;
    return line === undefined ? '' : `; once its input was closed it wrote ${line.slice(0, 300)}: flush? Write each message out at once (in Python: print(…, flush=True))`;
  }

  #note(way: 'in' | 'out', line: string): void {
    const fromClient = (way === 'out') === (this.#options.role === 'client');
    this.#options.passed.push({ direction: fromClient ? '-->' : '<--', text: line });
  }
}
