import type { Bag, Decoded } from '../../../src/jsonrpc/message.ts';
import { metaKeys } from '../../../src/protocol/meta.ts';
import { McpServer } from '../../../src/server/index.ts';
import { calm, worldClock } from '../explorer.ts';
import type { Kind, Step, World } from '../explorer.ts';
import { Gate } from '../gate.ts';
import { nothingHeld } from '../invariants.ts';
import { Pipe } from '../pipe.ts';

const ttlMs = 60_000;

/** A request of the client, and the state that it sends. */
interface Asked {
  readonly id: number;
  /** 1: the call; 2: the retry with the first answer; 3: with both. */
  readonly round: number;
  /** Whether the state that it sends has expired. */
  readonly stale: boolean;
  /** When the state in its answer expires. */
  until: number;
  answer: Decoded | undefined;
}

const meta = {
  [metaKeys.protocolVersion]: '2026-07-28', [metaKeys.clientInfo]: { name: 'c', version: '1' }, [metaKeys.clientCapabilities]: { elicitation: { form: {} } },
};

/**
 * A modern call with two rounds. Each retry may be sent twice at once, the state may expire, the call may be cancelled. With `singleUse` a
 * state can be used once, and the code after a question runs once.
 */
function world(singleUse: boolean): World {
  const clock = worldClock();
  const settle = (): Promise<void> => calm(clock);
  const quote = new Gate();
  const hold = new Gate();
  const made = { quote: 0, hold: 0, booked: 0 };
  const errors: string[] = [];
  const server = new McpServer({ name: 's', version: '1.0.0' }, {
    clock, requestState: { ttlMs, singleUse }, onError: (error) => errors.push((error as Error).message),
  });
  server.tool('book', {}, async (_args, ctx) => {
    const price = await ctx.once('quote', () => quote.wait().then(() => ++made.quote));
    const seat = await ctx.elicit('Seat?', { seat: { type: 'string' } }, { key: 'seat' });
    const held = await ctx.once('hold', () => hold.wait().then(() => ++made.hold));
    const sure = await ctx.elicit('Sure?', { sure: { type: 'boolean' } }, { key: 'sure' });
    made.booked++;
    return `${price} ${seat.content?.seat} ${held} ${sure.action}`;
  });
  const pipe = new Pipe(server);
  const asked: Asked[] = [];
  const cancelled = new Set<number>();
  let fault: Error | undefined;
  let [expired, cancels, broken] = [0, 0, false];
  const opening = pipe.transport.open({
    message(decoded) {
      if (decoded.kind !== 'success' && decoded.kind !== 'failure') return;
      const one = asked.find(({ id }) => id === decoded.message.id);
      if (one?.answer) fault = new Error(`the answer to ${one.id} came twice`);
      else if (one) Object.assign(one, { answer: decoded, until: clock.now() + ttlMs });
    },
    failed() {},
    closed() {},
    error(error) {
      fault = error;
    },
  });
  const send = (round: number, brought: Bag = {}, until = Infinity): void => {
    const id = asked.length + 1;
    asked.push({ id, round, stale: clock.now() > until, until: Infinity, answer: undefined });
    pipe.transport.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'book', arguments: {}, ...brought, _meta: meta } }));
  };
  const stateOf = (one: Asked): string | undefined =>
    (one.answer?.kind === 'success' ? one.answer.message.result['requestState'] as string | undefined : undefined);
  const answers: Readonly<Record<number, Bag>> = {
    2: { seat: { action: 'accept', content: { seat: 'window' } } },
    3: { sure: { action: 'accept', content: { sure: true } } },
  };

  return {
    steps() {
      const steps: Step[] = pipe.steps(settle);
      if (asked.length === 0) return [{ name: 'the client calls', touches: ['*'], run: () => opening.then(() => send(1)).then(settle) }];
      for (const one of asked) {
        const state = stateOf(one);
        const retries = asked.filter(({ round }) => round === one.round + 1).length;
        if (state === undefined || broken || retries >= 2) continue;
        steps.push({
          name: `the client answers ${one.id}, ${['once', 'twice', 'again'][retries]}`,
          touches: ['client'],
          run: () => (send(one.round + 1, { requestState: state, inputResponses: answers[one.round + 1] }, one.until), settle()),
        });
      }
      for (const [name, gate] of Object.entries({ quote, hold })) if (gate.waits > 0) steps.push({ name: `the ${name} is there`, touches: ['server'], run: () => (gate.open(), settle()) });
      if (expired < 1 && asked.some((one) => stateOf(one) !== undefined)) {
        steps.push({ name: 'the state expires', touches: ['*'], run: () => (expired++, clock.tick(clock.now() + ttlMs + 1), settle()) });
      }
      const [open] = asked.filter(({ answer, id }) => answer === undefined && !cancelled.has(id));
      if (open && cancels < 1 && !broken) {
        steps.push({
          name: `the client cancels ${open.id}`, touches: ['client'], optional: true,
          run: () => {
            cancels++;
            cancelled.add(open.id);
            pipe.transport.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: open.id } }));
            return settle();
          },
        });
      }
      return steps;
    },
    check() {
      pipe.check();
      if (fault) throw fault;
      if (made.quote > 1) throw new Error(`the value of once that each retry brought was made ${made.quote} times`);
      // docs/server.md: without `singleUse`, the code after a question runs as often as its answer is sent.
      if (made.hold > (singleUse ? 1 : 2)) throw new Error(`what follows the first question was done ${made.hold} times`);
      if (made.booked > (singleUse ? 1 : 2)) throw new Error(`what follows the last question was done ${made.booked} times`);
      for (const { id, round, answer, stale } of asked) {
        if (stale && answer?.kind === 'success') throw new Error(`request ${id} brought a state that had expired, and was served`);
        if (answer?.kind === 'failure' && answer.message.error.code !== -32602) throw new Error(`an error ${answer.message.error.code}: ${answer.message.error.message}`);
        const text = JSON.stringify(answer);
        if (round < 3 && text?.includes('accept')) throw new Error('a call was answered before its questions were');
      }
    },
    async finish() {
      for (const { id, answer } of asked) {
        if (answer === undefined && !cancelled.has(id) && !broken) throw new Error(`request ${id} waits for ever`);
        if (answer !== undefined && pipe.server.cancelled.has(id)) throw new Error(`request ${id} was cancelled and answered`);
      }
      clock.tick(clock.now() + ttlMs + 1);
      nothingHeld({ clocks: [], entries: { 'sealed states': server.questions?.open ?? NaN } });
      broken = true;
      pipe.break();
      await settle();
      nothingHeld({ clocks: [clock], budgets: [pipe.budget] });
      return JSON.stringify([made, asked.map(({ round, answer }) => [round, answer?.kind === 'success' ? answer.message.result['resultType'] ?? 'complete' : answer?.kind]), errors]);
    },
  };
}

export const rounds: Kind = { name: 'rounds', what: 'a modern call with two rounds, its retries twice at once, an expiry, a cancellation', make: () => world(false) };
export const roundsOnce: Kind = { name: 'rounds once', what: 'the same where each state opens once', make: () => world(true) };
