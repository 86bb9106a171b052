import { messagesVersion, socketProtocol } from '../messages.ts';
import type { Connect, Hello, HostMessage } from '../messages.ts';

/** Close codes of the local server after which reconnecting cannot succeed. */
const refusals: readonly number[] = [4401, 4406];

/** Connects to the local server of this page. The token is sent with the opening request. */
export function webSocketTo(token: string, tab: string): Connect {
  return (receiver) => {
    const protocols = token === '' ? [socketProtocol] : [socketProtocol, token];
    const socket = new WebSocket(new URL('/socket', location.href.replace(/^http/, 'ws')), protocols);
    socket.addEventListener('open', () => {
      const hello: Hello = { type: 'hello', version: messagesVersion, tab };
      socket.send(JSON.stringify(hello));
    });
    socket.addEventListener('message', ({ data }: MessageEvent<string>) => receiver.message(JSON.parse(data) as HostMessage));
    socket.addEventListener('close', ({ code, reason }) => {
      receiver.closed(reason || 'the local server cannot be reached', refusals.includes(code));
    });
    return {
      send: (message) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
      },
      close: () => socket.close(),
    };
  };
}
