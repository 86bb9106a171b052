// A server of three tools as on a device, and a client that calls it, in an engine with only the language. The host provides
// `writeLine(text)` and calls `readLine(text)`. The bundler sets the constants (run.mjs).
import { ClientCore } from '../../src/client/index.ts';
import type { ClientReceiver } from '../../src/client/index.ts';
import { decode } from '../../src/jsonrpc/index.ts';
import { compile } from '../../src/schema/index.ts';
import { asking, ServerCore, tools } from '../../src/server/index.ts';

declare const writeLine: (text: string) => void;
declare const VALIDATED: boolean;
declare const ASKING: boolean;
declare const CLIENT: boolean;

let readLine: (text: string) => void = () => {};

function serve(): void {
  const offered = tools(VALIDATED ? { validator: compile } : {});
  const input = { type: 'object', properties: { pin: { type: 'integer', minimum: 0, maximum: 40 }, on: { type: 'boolean' } }, required: ['pin'] } as const;
  const pins = new Map<number, boolean>();
  offered.add('set_pin', { input }, ({ pin, on }) => {
    pins.set(pin, on ?? true);
    return `pin ${pin} is ${pins.get(pin) === true ? 'on' : 'off'}`;
  });
  offered.add('read_sensor', { input: { type: 'object', properties: { unit: { type: 'string', enum: ['C', 'F'] } } } }, ({ unit }, ctx) => {
    ctx.progress(1, 2);
    return unit === 'F' ? '69.8' : '21';
  });
  offered.add('calibrate', {}, async (_args, ctx) => {
    if (!ASKING || !('elicit' in ctx)) return 'calibrated';
    const asks = ctx as unknown as { elicit(message: string, fields: object): Promise<{ action: string }> };
    return (await asks.elicit('Is the sensor dry?', { dry: { type: 'boolean' } })).action;
  });
  const server = new ServerCore({ name: 'device', version: '1.0.0' }, { features: [offered], ...ASKING && { asking: asking() } });
  const say = (text: string | undefined): void => {
    if (text !== undefined) writeLine(text);
  };
  const peer = server.connect({ send: say, answer: say }, { modern: true });
  readLine = (text) => peer.receive(decode(text));
}

function call(): void {
  const client = new ClientCore({ name: 'desk', version: '1.0.0' }, { era: 'legacy' });
  const connected = client.connect({
    kind: 'pipe',
    async open(receiver: ClientReceiver) {
      readLine = (text) => receiver.message(decode(text));
    },
    send: (text) => writeLine(text),
    async close() {},
  });
  let done = 0;
  const next = async (): Promise<void> => {
    await connected;
    await client.callTool('set_pin', { pin: done % 40, on: true });
    done++;
  };
  Object.assign(globalThis, { step: () => void next().catch((error: unknown) => writeLine(`failed ${String(error)}`)), done: () => done });
}

(CLIENT ? call : serve)();
Object.assign(globalThis, { readLine: (text: string) => readLine(text) });
