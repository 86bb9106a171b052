import { McpClient } from '../../../src/client/index.ts';
import { McpServer } from '../../../src/server/index.ts';
import { calm, pass, worldClock } from '../explorer.ts';
import type { Kind, Step, World } from '../explorer.ts';
import { Gate } from '../gate.ts';
import { Pipe } from '../pipe.ts';

/** How a call ended, as text. */
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
 * One legacy connection: a call that asks a person, and a call that takes long and has a time limit. The first may be
 * cancelled, the person may answer late, the client may close at any time.
 */
async function make(): Promise<World> {
  const clock = worldClock();
  const settle = (): Promise<void> => calm(clock);
  const work = new Gate();
  const person = new Gate();
  const errors: string[] = [];
  const server = new McpServer({ name: 's', version: '1.0.0' }, { clock, onError: (error) => errors.push((error as Error).message) });
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
    clock, revisions: ['2025-11-25'], cache: false, onError: (error) => errors.push(error.message),
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
  let [ticks, closing, mayCancel] = [0, false, true];

  return {
    steps() {
      const steps: Step[] = pipe.steps(settle);
      if (work.waits > 0) steps.push({ name: 'the work is done', touches: ['server'], run: () => (work.open(), settle()) });
      if (person.waits > 0) steps.push({ name: 'the person answers', touches: ['client'], run: () => (person.open(), settle()) });
      if (mayCancel && calls.ask.text === undefined) {
        steps.push({ name: 'nobody cancels', touches: ['client'], run: () => void (mayCancel = false) });
        steps.push({ name: 'the first call is cancelled', touches: ['client'], run: () => (mayCancel = false, cancel.abort(new Error('cancelled')), settle()) });
      }
      if (ticks < 2 && clock.due !== undefined) {
        steps.push({ name: `time passes ${ticks + 1}`, touches: ['*'], run: () => (ticks++, pass(clock)) });
      }
      // It may also stay: then each call has to be answered.
      if (!closing) {
        steps.push({ name: 'the client closes', touches: ['client', 'closing'], run: () => (closing = true, void client.close(), settle()) });
        steps.push({ name: 'the client will not close', touches: ['closing'], run: () => void (closing = true) });
      }
      return steps;
    },
    check() {
      pipe.check();
      const odd = errors.find((message) => /not asked/.test(message));
      if (odd !== undefined) throw new Error(`a side takes a good message for a fault of the other: ${odd}`);
      for (const [name, { times }] of Object.entries(calls)) if (times > 1) throw new Error(`the call ${name} ended ${times} times`);
      if (progress.some((now, i) => i > 0 && now <= (progress[i - 1] as number))) throw new Error(`progress went ${progress.join(', ')}`);
      if (calls.ask.text?.includes('worked') || calls.work.text?.includes('asked')) throw new Error('an answer crossed to another call');
    },
    async finish() {
      for (const [name, { text }] of Object.entries(calls)) if (text === undefined) throw new Error(`the call ${name} waits for ever`);
      if (pipe.open && pipe.server.owed.length > 0) throw new Error(`the server owes answers to ${pipe.server.owed.join()}`);
      if (pipe.open && pipe.budget.used !== atStart) throw new Error(`the budget holds ${pipe.budget.used - atStart} bytes more than before`);
      void client.close();
      await pipe.flush(settle);
      pipe.check();
      if (clock.waiting > 0) throw new Error(`${clock.waiting} timers are left`);
      if (pipe.budget.used !== 0) throw new Error(`the budget holds ${pipe.budget.used} bytes after the end`);
      return JSON.stringify([calls.ask.text, calls.work.text, errors]);
    },
  };
}

export const connection: Kind = { name: 'connection', what: 'a legacy connection: two calls, a question, a cancellation, a timeout, late answers, a closing', make };
