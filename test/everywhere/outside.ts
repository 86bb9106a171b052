// For the host of QuickJS: the other end of the lines.
import { decode } from '../../src/jsonrpc/index.ts';
import type { ClientReceiver } from '../../src/transport/client-port.ts';
import { httpTransport } from '../../src/transport/http/node/index.ts';
import { smoke, smokeServer } from './smoke.ts';
import type { Cell } from './smoke.ts';

/** Runs the suite against a server over lines. `attach` takes a function for received lines, and returns one that sends a line. */
export function smokeLines(attach: (read: (text: string) => void) => (text: string) => void): Promise<Cell[]> {
  return smoke({
    'server over lines': () => {
      let write: (text: string) => void;
      return {
        kind: 'pipe',
        async open(receiver: ClientReceiver) {
          write = attach((text) => receiver.message(decode(text)));
        },
        send: (text) => write(text),
        async close() {},
      };
    },
  });
}

/** Runs the suite against a server over HTTP. */
export const smokeHttp = (url: string): Promise<Cell[]> => smoke({ 'server over HTTP/1.1': () => httpTransport(url) });

/** Serves one client over lines; returns a function for received lines. */
export function serveLines(write: (text: string) => void): (text: string) => void {
  const say = (text: string | undefined): void => {
    if (text !== undefined) write(text);
  };
  const peer = smokeServer().connect({ send: say, answer: say }, { modern: true });
  return (text) => peer.receive(decode(text));
}
