import type { Bag, Decoded } from '../../../src/jsonrpc/message.ts';
import { metaKeys } from '../../../src/protocol/meta.ts';
import { McpServer } from '../../../src/server/index.ts';
import { calm, worldClock } from '../explorer.ts';
import type { Kind, Step, World } from '../explorer.ts';
import { endsOnce, nothingHeld, nothingOwed, ownOnly } from '../invariants.ts';
import { Pipe } from '../pipe.ts';

const names = ['ann', 'bob'] as const;
type Name = typeof names[number];

const meta = {
  [metaKeys.protocolVersion]: '2026-07-28', [metaKeys.clientInfo]: { name: 'c', version: '1' }, [metaKeys.clientCapabilities]: { elicitation: { form: {} } },
};

/** A request, and the responses to it. */
interface Asked {
  readonly id: number;
  readonly what: 'calls' | 'answers' | "brings the other's state" | 'brings its state to another call';
  readonly got: Extract<Decoded, { kind: 'success' | 'failure' }>[];
}

/** Whether a state is sent with a request that it does not belong to. */
const isForeign = ({ what }: Pick<Asked, 'what'>): boolean => what !== 'calls' && what !== 'answers';

/** One of two principals, its connection and its requests. */
class Caller {
  readonly name: Name;
  readonly pipe: Pipe;
  readonly asked: Asked[] = [];
  readonly #settle: () => Promise<void>;

  constructor(name: Name, server: McpServer, settle: () => Promise<void>) {
    this.name = name;
    this.pipe = new Pipe(server, { principal: name });
    this.#settle = settle;
  }

  open(): Promise<void> {
    return this.pipe.transport.open({
      message: (decoded) => {
        if (decoded.kind === 'success' || decoded.kind === 'failure') this.asked.find(({ id }) => id === decoded.message.id)?.got.push(decoded);
      },
      failed() {},
      closed() {},
      error() {},
    });
  }

  /** The state in the answer to its call. */
  get state(): string | undefined {
    const [answer] = this.asked[0]?.got ?? [];
    return answer?.kind === 'success' ? answer.message.result['requestState'] as string | undefined : undefined;
  }

  #send(what: Asked['what'], trip: Name, brought: Bag = {}): Promise<void> {
    const id = this.asked.length + 1;
    this.asked.push({ id, what, got: [] });
    this.pipe.transport.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'book', arguments: { trip: `of ${trip}` }, ...brought, _meta: meta } }));
    return this.#settle();
  }

  /** The caller's possible steps. */
  steps(other: Caller): Step[] {
    const { name, state } = this;
    const touches = [`client ${name}`];
    // The server handles one message after another; their order across the two callers makes no difference.
    const steps: Step[] = this.pipe.steps(this.#settle).map((step) => ({
      ...step, name: `${name}: ${step.name}`, touches: step.touches.map((what) => `${what} ${name}`),
    }));
    const may = (what: Asked['what'], optional: boolean, run: () => Promise<void>): void => {
      if (!this.asked.some((one) => one.what === what)) steps.push({ name: `${name} ${what}`, touches, ...optional && { optional }, run });
    };
    const bring = (what: Asked['what'], trip: Name, requestState: string): Promise<void> =>
      this.#send(what, trip, { requestState, inputResponses: { sure: { action: 'accept', content: { who: `of ${name}` } } } });
    may('calls', false, () => this.#send('calls', name));
    if (state !== undefined) may('answers', false, () => bring('answers', name, state));
    // At most one of the two foreign uses in a run.
    if (this.asked.some((one) => isForeign(one))) return steps;
    if (state !== undefined) may('brings its state to another call', true, () => bring('brings its state to another call', other.name, state));
    const { state: stolen } = other;
    if (this.asked.length > 0 && stolen !== undefined) may("brings the other's state", true, () => bring("brings the other's state", other.name, stolen));
    return steps;
  }

  check(): void {
    this.pipe.check();
    for (const { id, what, got } of this.asked) {
      endsOnce(`request ${id} of ${this.name}`, got.length);
      const [answer] = got;
      const refused = answer?.kind === 'failure' && answer.message.error.code === -32602;
      const foreign = isForeign({ what });
      // docs/server.md: a state opens only for its request and its principal.
      if (answer && refused !== foreign) throw new Error(`${this.name} ${what}, and gets ${JSON.stringify(answer.message)}`);
    }
    ownOnly(`of ${this.name}`, this.asked.flatMap(({ got }) => got.map(({ message }) => JSON.stringify(message))), names.map((name) => `of ${name}`));
  }
}

/** Two principals with a modern call each. Each may send the other's state, or its own state with another call. */
async function make(): Promise<World> {
  const clock = worldClock();
  const settle = (): Promise<void> => calm(clock);
  const errors: string[] = [];
  const server = new McpServer({ name: 's', version: '1.0.0' }, { clock, onError: (error) => errors.push((error as Error).message) });
  server.tool('book', { input: { type: 'object', properties: { trip: { type: 'string' } } } }, async ({ trip }, ctx) => {
    const quote = await ctx.once('quote', () => `quote ${trip}`);
    const { content } = await ctx.elicit(`Book ${trip}?`, { who: { type: 'string' } }, { key: 'sure' });
    return `${quote}, ${trip}, answered ${content?.['who']}`;
  });
  const callers = names.map((name) => new Caller(name, server, settle));
  for (const caller of callers) await caller.open();
  const [ann, bob] = callers as [Caller, Caller];

  return {
    steps: () => [...ann.steps(bob), ...bob.steps(ann)],
    check: () => callers.forEach((caller) => caller.check()),
    async finish() {
      for (const { name, asked, pipe } of callers) {
        for (const { id, got } of asked) endsOnce(`request ${id} of ${name}`, got.length, true);
        nothingOwed(pipe, 0);
        pipe.break();
      }
      await settle();
      // An unused state is held until it expires.
      clock.tick(clock.now() + 24 * 3_600_000);
      await settle();
      nothingHeld({ clocks: [clock], budgets: callers.map(({ pipe }) => pipe.budget), entries: { 'sealed states': server.questions?.open ?? NaN } });
      return JSON.stringify([callers.map(({ asked }) => asked.map(({ what, got }) => [what, got[0]?.kind])), errors.length]);
    },
  };
}

export const states: Kind = { name: 'states', what: 'two principals with a modern call each: either brings the state of the other, or its own to another call', make };
