// The suite that runs on every runtime: one client, one server, and a transport. It needs nothing of the runtime; an error must
// name what the runtime lacks.
import { McpClient } from '../../src/client/index.ts';
import { McpServer } from '../../src/server/index.ts';
import type { ClientTransport } from '../../src/transport/client-port.ts';

export const capabilities = ['connect', 'list', 'call', 'progress', 'elicit', 'cancel'] as const;
export type Capability = (typeof capabilities)[number];
export type Era = 'legacy' | 'modern';

export interface Cell {
  readonly transport: string;
  readonly era: Era;
  readonly capability: Capability;
  readonly ok: boolean;
  /** The missing global that the error named. */
  readonly lacks?: string;
  /** The error. */
  readonly fault?: string;
}

/** A new channel to a server of `smokeServer`. */
export type Channel = () => ClientTransport;

export function smokeServer(): McpServer {
  // The caller must see the name of a missing global.
  const server = new McpServer({ name: 'smoke', version: '1.0.0' }, { errors: 'message', onError() {} });
  server.tool('add', {
    description: 'Adds two numbers',
    input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  }, ({ a, b }) => String(a + b));
  server.tool('count', { description: 'Counts to three' }, (_args, ctx) => {
    for (const step of [1, 2, 3]) ctx.progress(step, 3);
    return 'counted';
  });
  server.tool('greet', { description: 'Asks for a name' }, async (_args, ctx) => {
    const form = await ctx.elicit('Who is there?', {
      name: { type: 'string' }, formal: { type: 'boolean', default: true },
    });
    return form.action === 'accept' ? `${form.content.formal ? 'Good day' : 'Hi'}, ${form.content.name}` : 'Nobody';
  });
  let stopped: (why: string) => void;
  const stop = new Promise<string>((resolve) => {
    stopped = resolve;
  });
  server.tool('wait', { description: 'Waits until it is told to stop' }, (_args, ctx) => {
    const { signal } = ctx;
    ctx.progress(1);
    return new Promise<string>((resolve) => {
      signal.addEventListener('abort', () => {
        stopped('stopped');
        resolve('stopped');
      }, { once: true });
    });
  });
  server.tool('stopped', { description: 'Answers once `wait` has stopped' }, () => stop);
  return server;
}

/** Runs every capability over each channel, in both eras. */
export async function smoke(channels: Readonly<Record<string, Channel>>): Promise<Cell[]> {
  const cells: Cell[] = [];
  for (const [transport, channel] of Object.entries(channels)) {
    for (const era of ['legacy', 'modern'] as const) await smokeEra(transport, era, channel, cells);
  }
  return cells;
}

async function smokeEra(transport: string, era: Era, channel: Channel, cells: Cell[]): Promise<void> {
  const judge = async (capability: Capability, run: () => Promise<void>): Promise<void> => {
    try {
      await run();
      cells.push({ transport, era, capability, ok: true });
    } catch (thrown) {
      const fault = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
      const lacks = lacking(fault);
      cells.push({ transport, era, capability, ok: lacks !== undefined, fault, ...lacks !== undefined && { lacks } });
    }
  };
  const client = new McpClient({ name: 'smoke', version: '1.0.0' }, {
    // Without the option, the client negotiates the modern era.
    ...era === 'legacy' && { era },
    onElicit: ({ message }) => {
      expect(message, 'Who is there?');
      return { action: 'accept', content: { name: 'Ada' } };
    },
  });
  await judge('connect', async () => {
    await client.connect(channel());
    expect(client.revision?.era, era);
    expect(client.server?.name, 'smoke');
  });
  await judge('list', async () => {
    expect((await client.listTools()).map(({ name }) => name).join(), 'add,count,greet,wait,stopped');
  });
  await judge('call', async () => {
    expect(await call('add', { a: 2, b: 40 }), '42');
    const refused = await call('add', { a: 2 }).then((text) => text, (error: unknown) => String(error));
    if (!refused.includes('b')) throw new Error(`an argument is missing, and the answer is ${refused}`);
    // Either a timeout works, or the error says that the runtime has no timers.
    const timed = await call('add', { a: 1, b: 1 }, { timeoutMs: 60_000 })
      .catch((error: unknown) => (error as Error).message);
    expect(
      typeof setTimeout === 'function' ? timed : lacking(timed),
      typeof setTimeout === 'function' ? '2' : 'setTimeout',
    );
  });
  await judge('progress', async () => {
    const seen: number[] = [];
    expect(await call('count', {}, { onProgress: ({ progress }) => seen.push(progress) }), 'counted');
    expect(seen.join(), '1,2,3');
  });
  await judge('elicit', async () => {
    expect(await call('greet'), 'Good day, Ada');
  });
  await judge('cancel', async () => {
    const controller = typeof AbortController === 'function' ? new AbortController() : standIn();
    const outcome = await call('wait', {}, {
      signal: controller.signal,
      onProgress: () => controller.abort(new Error('enough')),
    }).then((text) => `answered: ${text}`, (error: unknown) => (error as Error).message);
    if (lacking(outcome) !== undefined) throw new Error(outcome);
    expect(outcome, 'enough');
    expect(await call('stopped'), 'stopped');
  });
  await client.close();

  async function call(name: string, args = {}, options: Parameters<McpClient['callTool']>[2] = {}): Promise<string> {
    const { content } = await client.callTool(name, args, options);
    const [first] = content;
    return first?.type === 'text' ? first.text : JSON.stringify(content);
  }
}

/** A replacement for AbortController where a runtime has none: the members that a call uses. */
function standIn(): Pick<AbortController, 'signal' | 'abort'> {
  let listener: (() => void) | undefined;
  const signal = {
    reason: undefined as unknown,
    throwIfAborted() {},
    addEventListener(_type: string, added: () => void) {
      listener = added;
    },
    removeEventListener() {
      listener = undefined;
    },
  };
  return {
    signal: signal as unknown as AbortSignal,
    abort(reason) {
      signal.reason = reason;
      listener?.();
    },
  };
}

/** The NAME in `this runtime has no NAME, …`. */
function lacking(text: string): string | undefined {
  return /this runtime has no ([\w.]+)/.exec(text)?.[1];
}

function expect(actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
}
