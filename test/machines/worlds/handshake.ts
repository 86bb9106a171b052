import { McpClient } from '../../../src/client/index.ts';
import { McpServer } from '../../../src/server/index.ts';
import { calm, pass, worldClock } from '../../explore/explorer.ts';
import type { Kind, Step, World } from '../../explore/explorer.ts';
import { Gate } from '../../explore/gate.ts';
import { nothingHeld, nothingOwed } from '../../explore/invariants.ts';
import { Pipe } from '../../explore/pipe.ts';

/**
 * A legacy connection from its first message: the handshake, a list that changes meanwhile, and a call whose question is
 * answered, not answerable, or answered too late; the client closes, or the pipe breaks, at any time. 2025-11-25 basic/lifecycle.
 */
async function make(): Promise<World> {
  const clock = worldClock();
  const settle = (): Promise<void> => calm(clock);
  const errors: string[] = [];
  const person = new Gate<boolean>();
  const server = new McpServer({ name: 's', version: '1.0.0' }, { clock, limits: { questionTimeoutMs: 1000 }, onError: (error) => errors.push((error as Error).message) });
  server.tool('ask', {}, async (_args, ctx) => (await ctx.elicit('Go on?', { name: { type: 'string' } })).action);
  const pipe = new Pipe(server);
  const client = new McpClient({ name: 'c', version: '1.0.0' }, {
    clock, revisions: ['2025-11-25'], cache: false, onError: (error) => errors.push(error.message),
    onElicit: async () => {
      if (!await person.wait()) throw new Error('the person has no hands');
      return { action: 'accept', content: { name: 'x' } };
    },
  });
  const told = { connect: undefined as string | undefined, call: undefined as string | undefined };
  let [began, called, ending, ticks, changes] = [false, false, false, 0, 0];
  const hear = (what: 'connect' | 'call', promise: Promise<unknown>): void => void promise.then(
    () => told[what] = 'done',
    (error: Error & { reason?: string }) => told[what] = error.reason ?? error.message,
  );

  return {
    steps() {
      if (!began) return [{ name: 'the client connects', touches: ['*'], run: () => (began = true, hear('connect', client.connect(pipe.transport)), settle()) }];
      const steps: Step[] = pipe.steps(settle);
      if (told.connect === 'done' && !called && pipe.open) {
        steps.push({ name: 'the client calls', touches: ['client'], run: () => (called = true, hear('call', client.callTool('ask', {}, { timeoutMs: 1500 })), settle()) });
      }
      if (person.waits > 0) {
        steps.push({ name: 'the person answers', touches: ['client'], run: () => (person.open(true), settle()) });
        steps.push({ name: 'the person cannot answer', touches: ['client'], run: () => (person.open(false), settle()) });
      }
      if (changes < 1) steps.push({ name: 'the list changes', touches: ['server'], run: () => (changes++, server.tool('new', {}, () => ''), settle()) });
      if (ticks < 1 && clock.due !== undefined) steps.push({ name: 'time passes', touches: ['*'], run: () => (ticks++, pass(clock)) });
      if (!ending) {
        steps.push({ name: 'the client closes', touches: ['*'], run: () => (ending = true, void client.close(), settle()) });
        steps.push({ name: 'the pipe breaks', touches: ['*'], run: () => (ending = true, pipe.break(), settle()) });
        steps.push({ name: 'it goes on', touches: ['*'], run: () => void (ending = true) });
      }
      return steps;
    },
    check() {
      pipe.check();
      const odd = errors.find((message) => /not sent|not while/.test(message));
      if (odd !== undefined) throw new Error(`a side takes a good message for a fault: ${odd}`);
    },
    async finish() {
      if (told.connect === undefined) throw new Error('the client connects for ever');
      if (called && told.call === undefined) throw new Error('the call waits for ever');
      nothingOwed(pipe);
      void client.close();
      await pipe.flush(settle);
      pipe.check();
      nothingHeld({ clocks: [clock], budgets: [pipe.budget] });
      return JSON.stringify([told, changes, errors]);
    },
  };
}

export const handshake: Kind = { name: 'handshake', what: 'a legacy connection from its first message: a handshake, a list that changes, a question, an end at any time', make };
