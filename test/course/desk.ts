import { once } from 'node:events';
import { createServer, connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { serveStdio } from '../../src/transport/stdio/index.ts';
import { systemClock } from '../../src/bounds/clock.ts';
import type { ByteCarrier } from '../../src/judge/carrier.ts';
import type { HiddenRequest } from '../../src/judge/client/port.ts';
import { http } from '../../src/judge/http.ts';
import { shownHead, typeOf } from '../../src/judge/http-demand.ts';
import type { HttpDemand, HttpHead } from '../../src/judge/http-demand.ts';
import { hiddenHttp } from '../../src/judge/node/hidden-http.ts';
import type { McpServer } from '../../src/server/index.ts';
import { demand, Fault } from './fault.ts';
import type { Bag } from './fault.ts';
import { Program, typed, within } from './program.ts';
import type { Life } from './program.ts';
import { Talk } from './talk.ts';
import type { Passed } from './talk.ts';
import { freePort } from '../free-ports.ts';

// The place of a check: starts the reader's program in one of four roles, plays the other side, and stops everything.

const relay = fileURLToPath(new URL('relay.js', import.meta.url));

export interface DeskOptions {
  /** The reader's program and its arguments. */
  readonly command: readonly string[];
  /** Milliseconds to wait for a message. */
  readonly patienceMs: number;
  /** Milliseconds that the program may take to start. */
  readonly startMs: number;
}

/** The response to an HTTP request. */
export interface Answer extends HttpHead {
  readonly body: string;
  /** The messages of its body: one as JSON, or those of a stream. */
  readonly messages: readonly Bag[];
}

/** A request that the reader's client sent. */
export interface Arrived {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly message: Bag | undefined;
}

export type Respond = (arrived: Arrived, request: HiddenRequest) => void | Promise<void>;

export class Desk {
  readonly options: DeskOptions;
  readonly passed: Passed[] = [];
  /** The started programs, in order. */
  readonly lives: Life[] = [];
  #programs: Program[] = [];
  #endings: (() => unknown)[] = [];

  constructor(options: DeskOptions) {
    this.options = options;
  }

  program(...more: string[]): Program {
    const program = Program.start(this.options.command, more);
    this.#endings.push(() => program.stop());
    this.#programs.push(program);
    this.lives.push(program);
    return program;
  }

  /** Starts the program as a server over stdio. */
  async server(): Promise<Talk & { readonly program: Program }> {
    const program = this.program();
    const talk = new Talk(program.stdout, program.stdin, {
      patienceMs: this.options.patienceMs, startMs: this.options.startMs, role: 'client', passed: this.passed, program,
    });
    return Object.assign(talk, { program });
  }

  /** Starts the program as a server over stdio, and makes the handshake of 2025-11-25. */
  async opened(): Promise<Talk & { readonly program: Program }> {
    const server = await this.server();
    await server.ask({
      id: 'hello', method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'checker', version: '1.0.0' } },
    }, { result: { protocolVersion: '2025-11-25' } });
    server.say({ method: 'notifications/initialized' });
    return server;
  }

  /** Starts the program as a client over stdio. The server program that it gets to start connects its streams to the checker. */
  async client(): Promise<{ readonly talk: Talk; readonly program: Program }> {
    const { program, socket } = await this.#called();
    // Like a server: when its stdin ends, it ends too.
    socket.on('end', () => socket.end());
    const talk = new Talk(socket, socket, {
      patienceMs: this.options.patienceMs, startMs: this.options.startMs, role: 'server', passed: this.passed, program,
    });
    return { talk, program };
  }

  /** Starts the program as a client over stdio, of a barewire server. */
  async clientOf(server: McpServer): Promise<Program> {
    const { program, socket } = await this.#called();
    const serving = serveStdio(server, {
      stdin: socket, stdout: socket, exitMs: 0, console: false,
      trace: ({ direction, text }) => this.passed.push({ direction: direction === 'received' ? '-->' : '<--', text }),
    });
    void serving.closed.then(() => socket.end());
    this.#endings.push(() => serving.close());
    return program;
  }

  async #called(): Promise<{ program: Program; socket: Socket }> {
    const door = createServer({ allowHalfOpen: true });
    door.listen(0, '127.0.0.1');
    await once(door, 'listening');
    this.#endings.push(() => door.close());
    const program = this.program('client', process.execPath, relay, String((door.address() as AddressInfo).port));
    const [socket] = await program.during(once(door, 'connection') as Promise<[Socket]>, 'the program to start the server that its arguments name', this.options.startMs);
    socket.on('error', () => {});
    this.#endings.push(() => socket.destroy());
    return { program, socket };
  }

  /** Starts the program as a server over HTTP. */
  async httpServer(): Promise<{ readonly port: number; readonly url: string; readonly program: Program }> {
    const port = await freePort();
    const program = this.program('http', String(port));
    let given = false;
    const listens = async (): Promise<void> => {
      while (!given && !await reachable(port, '127.0.0.1')) await late(20);
    };
    await program.during(listens(), `the program to listen at 127.0.0.1:${port}`, this.options.startMs).finally(() => (given = true));
    return { port, url: `http://127.0.0.1:${port}/mcp`, program };
  }

  /** Starts the program as a client over HTTP, of a server whose responses the check provides. */
  async httpClient(respond: Respond): Promise<{ readonly program: Program; readonly arrived: readonly Arrived[]; readonly failed: Promise<never> }> {
    const arrived: Arrived[] = [];
    let fail: (error: unknown) => void = () => {};
    const failed = new Promise<never>((_resolve, reject) => (fail = reject));
    failed.catch(() => {});
    const take = async (request: HiddenRequest): Promise<void> => {
      const { method, path, headers, body } = request;
      this.passed.push({ direction: '-->', text: `${method} ${path} ${body}` });
      const one = { method, path, headers, message: method === 'POST' ? json(body, 'the body of a POST to be a message') : undefined };
      arrived.push(one);
      await respond(one, request);
    };
    const { url, close } = await hiddenHttp({
      request: (request) => void take(request).catch((error: unknown) => {
        fail(error);
        // The program should not wait for an answer that never comes.
        request.respond(500, {});
      }), unreadable: (why) => fail(new Fault('a whole request', why)), line() {}, left() {},
    });
    this.#endings.push(close);
    return { program: this.program('client', url), arrived, failed };
  }

  /** Sends one request to the program. */
  async post(port: number, body: string | Bag, headers: Readonly<Record<string, string>> = {}, { method = 'POST', path = '/mcp' }: { method?: string; path?: string } = {}): Promise<Answer> {
    const shown = Object.entries(headers).map(([name, value]) => ` ${name}: ${value};`).join('');
    const sent = typeof body === 'string' ? body : JSON.stringify({ jsonrpc: '2.0', ...body });
    this.passed.push({ direction: '-->', text: `${method} ${path}${shown} ${sent}` });
    const { carrier, came } = this.#carrier(port, path);
    const answer = await within(answered(carrier, method === 'POST' ? sent : undefined, headers, method, came), this.options.patienceMs);
    if (answer === undefined) throw new Fault(`an answer to ${method} ${path}`, `nothing within ${this.options.patienceMs} ms`);
    this.passed.push({ direction: '<--', text: `${answer.status} ${answer.body.trimEnd()}` });
    return answer;
  }

  /** Sends a POST without waiting for the answer. `break` closes its connection. */
  begin(port: number, body: Bag, headers: Readonly<Record<string, string>>): { break(): void } {
    const { carrier } = this.#carrier(port, '/mcp');
    carrier.send(JSON.stringify({ jsonrpc: '2.0', ...body }), { headers: { ...posting, ...headers } }).catch(() => {});
    this.passed.push({ direction: '-->', text: `POST /mcp ${JSON.stringify(body)}` });
    return { break: () => {
      this.passed.push({ direction: '-x-', text: `the connection of request ${String(body['id'])} is broken` });
      void carrier.close();
    } };
  }

  /** The judge's HTTP carrier, and the texts of the messages that it receives. */
  #carrier(port: number, path: string): { readonly carrier: ByteCarrier; readonly came: readonly string[] } {
    const came: string[] = [];
    const carrier = http({ url: `http://127.0.0.1:${port}${path}`, fetch }, systemClock, this.options.patienceMs, {
      entry: (entry) => {
        if (entry.kind === 'message' && entry.direction === 'received') came.push(entry.text);
      }, unreadable() {}, failed() {}, gone() {},
    });
    this.#endings.push(() => carrier.close());
    return { carrier, came };
  }

  /** Sends one request, and checks the status and the last message of the body. */
  async exchange(port: number, body: string | Bag, status: number, pattern?: Bag, headers?: Readonly<Record<string, string>>): Promise<Answer> {
    const answer = await this.post(port, body, headers);
    demand(status, answer.status, 'the status');
    if (pattern !== undefined) demand({ jsonrpc: '2.0', ...pattern }, answer.messages.at(-1), 'the body');
    return answer;
  }

  /** Awaits barewire's own side of a conversation. Throws a fault of the program if it does not complete. */
  async inTime<T>(work: Promise<T>): Promise<T> {
    const { startMs } = this.options;
    const program = this.#programs.at(-1);
    if (program) return program.during(work, 'the conversation to end', startMs);
    const done = await within(work.then((value) => ({ value })), startMs);
    if (!done) throw new Fault('the conversation to end', `no end within ${startMs} ms`);
    return done.value;
  }

  /** Records a program that barewire's own client starts. The returned function takes its stderr lines. */
  life(): (line: string) => void {
    let complaints = '';
    this.lives.push({ command: typed(this.options.command), obituary: undefined, get complaints() {
      return complaints;
    } });
    return (line) => (complaints = `${complaints}${line}\n`.slice(-2000));
  }

  /** Waits a moment for the last program: its stderr output and its exit come after the broken pipe that reveals them. */
  async settled(): Promise<void> {
    const program = this.#programs.at(-1);
    if (program) await within(program.gone(), 1000);
  }

  async close(): Promise<void> {
    for (const end of this.#endings.reverse()) await end();
  }
}

/** Checks a response against a demand of the judge, with the judge's words. */
export function keeps({ expected, kept }: HttpDemand, head: HttpHead): void {
  if (!kept(head)) throw new Fault(expected, shownHead(head));
}

export const late = (ms: number): Promise<undefined> => new Promise((resolve) => setTimeout(resolve, ms, undefined));

export async function reachable(port: number, host: string): Promise<boolean> {
  const socket = connect(port, host);
  socket.setTimeout(1000, () => socket.destroy(new Error('too late')));
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

const posting = { 'accept': 'application/json, text/event-stream', 'content-type': 'application/json' } as const;

async function answered(carrier: ByteCarrier, sent: string | undefined, headers: Readonly<Record<string, string>>, method: string, came: readonly string[]): Promise<Answer> {
  const reply = await carrier.send(sent, { method, headers: { ...sent === undefined ? { accept: posting.accept } : posting, ...headers } })
    .catch((error: Error) => {
      throw new Fault(`an answer to ${method}`, `a broken connection: ${error.message}`);
    });
  if (!reply) throw new Error('HTTP has a response');
  // An open stream without a response is closed by the check that opened it.
  if (reply.stream && method === 'GET') reply.cancel();
  else if (!await reply.ended) throw new Fault('a whole answer', 'a broken connection');
  const messages = reply.stream || typeOf(reply) === 'application/json' ? came.map((text) => json(text, 'JSON')) : [];
  return { status: reply.status, headers: reply.headers, body: reply.stream ? came.join('\n') : reply.body, messages };
}

function json(text: string, expected: string): Bag {
  try {
    return JSON.parse(text) as Bag;
  } catch {
    throw new Fault(expected, text.slice(0, 300));
  }
}
