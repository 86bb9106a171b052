import { Host, HostError, memoryLog, verifyLog } from '../../../src/host/index.ts';
import { McpClient } from '../../../src/client/index.ts';
import { McpServer } from '../../../src/server/index.ts';
import { AskedPerson } from '../asked-person.ts';
import { calm, pass, worldClock } from '../explorer.ts';
import type { Kind, Step, World } from '../explorer.ts';
import { endsOnce, nothingHeld } from '../invariants.ts';
import { ServerWire } from '../server-wire.ts';
import { steadyRandom } from '../steady-random.ts';

/** Limits of the events of server, person and time in one run. */
const most = { changes: 2, deaths: 1, late: 1, ticks: 3 };
/** Request timeouts are longer than this; the world does not wait for them. */
const soonMs = 40_000;

/** A call of the host, and its outcome. */
interface Called {
  readonly number: number;
  readonly cancel: AbortController;
  /** How often it was sent, and the definitions with which it ran. */
  sent: number;
  readonly ran: string[];
  end: string | undefined;
  ends: number;
}

/**
 * A host and one server. The server has one tool, which changes, disappears and returns; the server may die. Two calls run at once. A
 * person is asked about both, and answers at any time, too late, or never.
 */
class HostWorld implements World {
  readonly #clock = worldClock();
  readonly #settle = (): Promise<void> => calm(this.#clock);
  readonly #server = new McpServer({ name: 's', version: '1.0.0' }, { clock: this.#clock, onError: (error) => void this.#errors.push((error as Error).message) });
  readonly #errors: string[] = [];
  readonly #wires: ServerWire[] = [];
  readonly #person = new AskedPerson(() => this.#clock.monotonic(), 'v1');
  readonly #log = memoryLog();
  readonly #host: Host;
  readonly #calls: Called[] = [];
  readonly #counts = { changes: 0, deaths: 0, late: 0, ticks: 0 };
  #tool: { remove(): void; update(changes: { description: string }): void } | undefined;
  #version = 1;
  #fault: string | undefined;

  constructor() {
    this.#list();
    this.#host = new Host({
      info: { name: 'host', version: '1.0.0' },
      servers: { s: { command: 's' } },
      clock: this.#clock,
      log: this.#log,
      person: this.#person.person,
      client: (_server, info, options) => new McpClient(info, { ...options, revisions: ['2025-11-25'] }),
      transport: () => {
        const wire = new ServerWire(this.#server, (from, params) => this.#sent(from, params));
        this.#wires.push(wire);
        return wire.transport;
      },
      onError: (error) => void this.#errors.push(error.message),
    });
  }

  /** Registers the tool with its current version. */
  #list(): void {
    this.#tool = this.#server.tool('pay', { description: `v${this.#version}`, input: { type: 'object', properties: { call: { type: 'integer' } } } }, ({ call }) => {
      this.#calls.find(({ number }) => number === call)?.ran.push(`v${this.#version}`);
      return 'paid';
    });
  }

  async begin(): Promise<this> {
    const listed = this.#host.tools();
    await this.#flush();
    await listed;
    for (const number of [1, 2]) this.#call(number);
    await this.#settle();
    return this;
  }

  #call(number: number): void {
    const called: Called = { number, cancel: new AbortController(), sent: 0, ran: [], end: undefined, ends: 0 };
    this.#calls.push(called);
    const end = (text: string): void => {
      called.ends++;
      called.end = text;
    };
    this.#host.call('s/pay', { call: number }, { signal: called.cancel.signal }).then(
      ({ isError }) => end(isError ? 'a tool error' : 'paid'),
      (thrown: unknown) => end(thrown instanceof HostError ? thrown.code : (thrown as Error).message),
    );
  }

  /** Checks a call that the host sends: the person allowed its definition, and this is the definition that the host knows. */
  #sent({ known }: ServerWire, params: Readonly<Record<string, unknown>>): void {
    const { call } = params['arguments'] as { call?: number };
    const called = this.#calls.find(({ number }) => number === call);
    const tool = known?.get('pay');
    const { allowed, forSession, accepted } = this.#person;
    if (!called) this.#fault ??= `a call ${call} was sent that nobody asked for`;
    else if (++called.sent > 1) this.#fault ??= `call ${call} was sent twice`;
    if (tool === undefined) this.#fault ??= `call ${call} was sent over a connection over which its tool is not listed as it is`;
    else if (allowed.get(call) !== tool && !forSession.has(tool)) this.#fault ??= `call ${call} was sent with ${tool}, and ${allowed.get(call) ?? 'nothing'} was allowed`;
    else if (!accepted.has(tool)) this.#fault ??= `call ${call} was sent with ${tool}, which nobody has accepted`;
    if (called?.end !== undefined) this.#fault ??= `call ${call} was sent after its end`;
  }

  async #flush(): Promise<void> {
    for (let rounds = 0; ; rounds++) {
      await this.#settle();
      const step = this.#wires.flatMap(({ pipe }) => pipe.steps(this.#settle))[0];
      if (step === undefined) return;
      if (rounds > 500) throw new Error('the wire comes to no rest');
      await step.run();
    }
  }

  steps(): Step[] {
    const steps = [...this.#wires.flatMap(({ pipe }) => pipe.steps(this.#settle)), ...this.#person.steps(this.#settle), ...this.#serverSteps()];
    const add = (name: string, touches: readonly string[], run: () => Promise<void> | void): void => void steps.push({ name, touches, run });
    const [first] = this.#calls;
    if (first && !first.cancel.signal.aborted && first.end === undefined) {
      steps.push({ name: 'the first call is cancelled', touches: ['client'], optional: true, run: () => (first.cancel.abort(new Error('cancelled')), this.#settle()) });
    }
    if (this.#person.waits && this.#counts.late < most.late) add('the person thinks for six minutes', ['*'], () => {
      this.#counts.late++;
      this.#clock.tick(this.#clock.now() + 360_000);
      return this.#settle();
    });
    const { due } = this.#clock;
    if (due !== undefined && due - this.#clock.monotonic() < soonMs && this.#counts.ticks < most.ticks) add(`time passes ${this.#counts.ticks + 1}`, ['*'], () => (this.#counts.ticks++, pass(this.#clock)));
    return steps;
  }

  #serverSteps(): Step[] {
    const steps: Step[] = [];
    if (this.#calls.every(({ end }) => end !== undefined)) return steps;
    const change = (name: string, run: () => void): void => void (this.#counts.changes < most.changes && steps.push({
      name, touches: ['server'], run: () => (this.#counts.changes++, run(), this.#settle()),
    }));
    const { pipe } = this.#wires.at(-1) as ServerWire;
    if (this.#tool) {
      change('the tool changes', () => this.#tool?.update({ description: `v${++this.#version}` }));
      change('the tool goes', () => {
        this.#tool?.remove();
        this.#tool = undefined;
      });
    } else {
      change('the tool is back', () => this.#list());
      change('the tool is back, changed', () => (this.#version++, this.#list()));
    }
    if (pipe.open && this.#counts.deaths < most.deaths) steps.push({ name: 'the server dies', touches: ['*'], run: () => (this.#counts.deaths++, pipe.break(), this.#settle()) });
    return steps;
  }

  check(): void {
    if (this.#fault !== undefined) throw new Error(this.#fault);
    for (const { pipe } of this.#wires) pipe.check();
    for (const { number, ran, sent, ends, end } of this.#calls) {
      if (ran.length > sent) throw new Error(`call ${number} was sent ${sent} times, and ran ${ran.length} times`);
      endsOnce(`call ${number}`, ends);
      if (end === 'paid' && ran.length !== 1) throw new Error(`call ${number} was answered, and ran ${ran.length} times`);
    }
    if (this.#wires.filter(({ pipe }) => pipe.open).length > 1) throw new Error('the server runs twice');
  }

  /** From every state, both calls must end. */
  async #comeToEnd(): Promise<void> {
    for (let rounds = 0; this.#calls.some(({ end }) => end === undefined); rounds++) {
      if (rounds > 60) throw new Error(`call ${this.#calls.find(({ end }) => end === undefined)?.number} never ends`);
      await this.#flush();
      const [reply] = this.#person.steps(this.#settle);
      if (reply) await reply.run();
      else if (this.#calls.some(({ end }) => end === undefined) && this.#clock.due !== undefined) await pass(this.#clock);
      this.check();
    }
    await this.#flush();
    this.check();
  }

  async finish(): Promise<string> {
    await this.#comeToEnd();
    const lines = this.#log.lines.map((line) => JSON.parse(line) as { kind: string; call?: number });
    for (const { number, sent } of this.#calls) {
      const kinds = lines.filter(({ call }) => call === number).map(({ kind }) => kind);
      if (kinds[0] !== 'asked') throw new Error(`the log does not say that call ${number} was asked for`);
      // The log has `sent` also for a call that the gate holds back, followed by an end.
      const ends = kinds.filter((kind) => kind === 'answered' || kind === 'failed' || kind === 'unknown').length;
      const begins = kinds.filter((kind) => kind === 'sent').length;
      if (begins !== ends || begins < sent) throw new Error(`the log has call ${number} sent ${begins} times and ended ${ends} times; it was sent ${sent} times`);
    }
    const closing = this.#host.close();
    await this.#flush();
    await closing;
    const verdict = await verifyLog(this.#log.lines, this.#log.head);
    if (!verdict.ok) throw new Error(`the log: ${verdict.why}`);
    for (const { pipe } of this.#wires) {
      pipe.check();
      if (pipe.open) throw new Error('a connection is open after the end');
    }
    nothingHeld({ clocks: [this.#clock], budgets: this.#wires.map(({ pipe }) => pipe.budget), signals: this.#calls.map(({ cancel }) => cancel.signal) });
    return JSON.stringify([this.#calls.map(({ end, ran, sent }) => [end, sent, ran]), this.#wires.length, [...new Set(this.#errors)].length]);
  }
}

export const host: Kind = {
  name: 'host',
  what: 'a host: two calls that are shown to a person, a tool that changes, goes and comes back, a server that dies, a person who answers late or never',
  make: () => {
    steadyRandom();
    return new HostWorld().begin();
  },
};
