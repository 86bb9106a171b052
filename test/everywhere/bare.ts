// QuickJS with only the language. The host provides `writeLine(text)` and calls `readLine(text)`, like standard streams. Three
// parts: the suite inside, a server for a client outside, a client for a server outside. A fourth serves HTTP: the host calls
// `readOctets(connection, text)` and provides `write(connection, text)`, both with `undefined` at the end, and `random(octets)`.
import { decode } from '../../src/jsonrpc/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import type { ClientReceiver, ClientTransport } from '../../src/transport/client-port.ts';
import { http1Server } from '../../src/transport/http1/index.ts';
import type { Http1Connection } from '../../src/transport/http1/index.ts';
import { smoke, smokeServer } from './smoke.ts';

declare const writeLine: (text: string) => void;
declare const write: (connection: number, text: string | undefined) => void;
declare const random: (octets: number) => string;
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
  http() {
    // The ids of sessions of older revisions have to be random; 2026-07-28 has none.
    Object.assign(globalThis, { crypto: { getRandomValues: (bytes: Uint8Array) => (bytes.set(Array.from(random(bytes.length), (one) => one.charCodeAt(0))), bytes) } });
    const http = http1Server(smokeServer());
    const connections = new Map<number, Http1Connection>();
    /** `text`: one character for each octet. */
    const readOctets = (id: number, text: string | undefined): void => {
      if (text === undefined) {
        connections.get(id)?.closed();
        connections.delete(id);
        return;
      }
      const end = (): void => write(id, undefined);
      const connection = connections.get(id)
        ?? http.connect({ write: (said) => write(id, said), end, destroy: end, pause() {}, resume() {}, buffered: 0 });
      if (connection === undefined) return;
      connections.set(id, connection);
      connection.push(Uint8Array.from(text, (one) => one.charCodeAt(0)));
    };
    Object.assign(globalThis, { readOctets });
  },
  serve() {
    const say = (text: string | undefined): void => {
      if (text !== undefined) writeLine(text);
    };
    const peer = smokeServer().connect({ send: say, answer: say }, { modern: true });
    readLine = (text) => peer.receive(decode(text));
  },
});
