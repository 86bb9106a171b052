// QuickJS with nothing but the language. The host gives `writeLine(text)` and calls `readLine(text)`: the shape of
// standard streams. Three parts: the suite inside, a server for a client outside, a client for a server outside.
import { decode } from '../../src/jsonrpc/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import type { ClientReceiver, ClientTransport } from '../../src/transport/client-port.ts';
import { smoke, smokeServer } from './smoke.ts';

declare const writeLine: (text: string) => void;
declare const report: (text: string) => void;

let readLine: (text: string) => void = () => {};

const lines = (): ClientTransport => ({
  kind: 'pipe',
  async open(receiver: ClientReceiver) {
    readLine = (text) => receiver.message(decode(text));
  },
  send: (text) => writeLine(text),
  async close() {
    readLine = () => {};
  },
});

const tell = (cells: unknown): void => report(JSON.stringify(cells));
const fail = (thrown: unknown): void => report(JSON.stringify(String(thrown)));

Object.assign(globalThis, {
  readLine: (text: string) => readLine(text),
  inside: () => void smoke({ memory: () => memoryTransport(smokeServer()) }).then(tell, fail),
  client: () => void smoke({ 'client over lines': lines }).then(tell, fail),
  serve() {
    const say = (text: string | undefined): void => {
      if (text !== undefined) writeLine(text);
    };
    const peer = smokeServer().connect({ send: say, answer: say }, { modern: true });
    readLine = (text) => peer.receive(decode(text));
  },
});
