import { McpClient } from '../../../src/client/index.ts';
import { McpServer } from '../../../src/server/index.ts';
import { calm, pass, worldClock } from '../explorer.ts';
import type { Kind, Step, World } from '../explorer.ts';
import { Gate } from '../gate.ts';
import { endsOnce, nothingHeld, nothingOwed, onlyGrow } from '../invariants.ts';
import { Pipe } from '../pipe.ts';

/** Records the outcome of a call as text. */
const told = (promise: Promise<unknown>): { text: string | undefined; times: number } => {
  const state: { text: string | undefined; times: number } = { text: undefined, times: 0 };
  const end = (text: string): void => {
    state.times++;
    state.text = text;
  };
  promise.then(
    (value) => end(JSON.stringify((value as { content?: unknown }).content ?? value)),
    (error: Error & { reason?: string }) => end(error.reason ?? error.message),
  );
  return state;
};

/**
 * One legacy connection, with a call that asks a person and a long call with a time limit. The first call may be cancelled, the person may
 * answer late, and the client may close at any time.
 */
async function make(): Promise<World> {
  // Two clocks, one for each process: neither process can observe the other's clock.
  const clocks = { server: worldClock(), client: worldClock() };
  const settle = (): Promise<void> => calm(clocks.server, clocks.client);
  const work = new Gate();
  const person = new Gate();
  const errors: string[] = [];
  const server = new McpServer({ name: 's', version: '1.0.0' }, { clock: clocks.server, onError: (error) => errors.push((error as Error).message) });
  server.tool('ask', {}, async (_args, ctx) => {
    ctx.progress(1, 3);
    const { action } = await ctx.elicit('Go on?', { name: { type: 'string' } });
    ctx.progress(2, 3);
    return `asked: ${action}`;
  });
  server.tool('work', {}, async (_args, ctx) => {
    ctx.progress(1, 2);
    await work.wait();
    ctx.progress(2, 2);
    return 'worked';
  });
  const pipe = new Pipe(server);
  const client = new McpClient({ name: 'c', version: '1.0.0' }, {
    clock: clocks.client, revisions: ['2025-11-25'], cache: false, onError: (error) => errors.push(error.message),
    onElicit: () => person.wait().then(() => ({ action: 'accept', content: { name: 'x' } })),
  });
  const connecting = client.connect(pipe.transport);
  await pipe.flush(settle);
  await connecting;
  const atStart = pipe.budget.used;
  const cancel = new AbortController();
  const progress: number[] = [];
  const calls = {
    ask: told(client.callTool('ask', {}, { signal: cancel.signal, onProgress: ({ progress: now }) => progress.push(now) })),
    work: told(client.callTool('work', {}, { timeoutMs: 1000 })),
  };
  await settle();
  const ticks = { server: 0, client: 0 };
  let [closing, mayCancel] = [false, true];

  return {
    steps() {
      const steps: Step[] = pipe.steps(settle);
      if (work.waits > 0) steps.push({ name: 'the work is done', touches: ['server'], run: () => (work.open(), settle()) });
      if (person.waits > 0) steps.push({ name: 'the person answers', touches: ['client'], run: () => (person.open(), settle()) });
      if (mayCancel && calls.ask.text === undefined) {
        steps.push({ name: 'the first call is cancelled', touches: ['client'], optional: true, run: () => (mayCancel = false, cancel.abort(new Error('cancelled')), settle()) });
      }
      for (const side of ['server', 'client'] as const) {
        if (ticks[side] >= 2 || clocks[side].due === undefined) continue;
        steps.push({ name: `time passes for the ${side} ${ticks[side] + 1}`, touches: [side], run: () => (ticks[side]++, pass(clocks[side]).then(settle)) });
      }
      // Optional: if the client stays, each call must be answered.
      if (!closing) steps.push({ name: 'the client closes', touches: ['client'], optional: true, run: () => (closing = true, void client.close(), settle()) });
      return steps;
    },
    check() {
      pipe.check();
      const odd = errors.find((message) => /not asked/.test(message));
      if (odd !== undefined) throw new Error(`a side takes a good message for a fault of the other: ${odd}`);
      for (const [name, { times }] of Object.entries(calls)) endsOnce(`the call ${name}`, times);
      onlyGrow('progress', progress);
      if (calls.ask.text?.includes('worked') || calls.work.text?.includes('asked')) throw new Error('an answer crossed to another call');
    },
    async finish() {
      for (const [name, { times }] of Object.entries(calls)) endsOnce(`the call ${name}`, times, true);
      nothingOwed(pipe, atStart);
      void client.close();
      await pipe.flush(settle);
      pipe.check();
      nothingHeld({ clocks: Object.values(clocks), budgets: [pipe.budget], signals: [cancel.signal] });
      return JSON.stringify([calls.ask.text, calls.work.text, errors]);
    },
  };
}

export const connection: Kind = { name: 'connection', what: 'a legacy connection: two calls, a question, a cancellation, a timeout, late answers, a closing', make };
