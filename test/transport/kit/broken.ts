import type { Decoded } from '../../../src/jsonrpc/message.ts';
import type { Outlet } from '../../../src/jsonrpc/inbound-request.ts';
import type { ClientReceiver, ClientTransport, Outgoing } from '../../../src/transport/client-port.ts';
import type { PeerOptions, ServedClient, ServerPort } from '../../../src/transport/server-port.ts';
import type { OpenedTransport, OpenTransport } from '../../../src/transport/testing/index.ts';
import { byteChannel, pieces, serialLines, serial } from './transports.ts';
import { frames, lines, serialTransport, serveSerial } from '../../../src/transport/serial/index.ts';
import { processBudget } from '../../../src/bounds/budget.ts';

/** Changes the client's side of a working transport. */
const onClient = (change: (client: ClientTransport) => ClientTransport): OpenTransport => async (server, options) => {
  const wire = await serialLines(server, options);
  return { ...wire, client: change(wire.client) };
};

/** Changes what the client receives. */
const told = (change: (to: ClientReceiver) => Partial<ClientReceiver>): OpenTransport =>
  onClient((client) => ({ ...client, open: (to) => client.open({ ...to, ...change(to) }) }));

/** Changes what the client sends. */
const sent = (change: (send: ClientTransport['send'], text: string, message: Outgoing | undefined) => void): OpenTransport =>
  onClient((client) => ({ ...client, send: (text, message) => change(client.send, text, message) }));

interface ServerSide {
  readonly outlet: Outlet;
  readonly options: PeerOptions;
}

/** Changes the server's side of a transport. */
const onServer = (
  change: (outlet: Outlet, options: PeerOptions) => Partial<ServerSide>, peers: (peer: ServedClient) => Partial<ServedClient> = () => ({}),
): OpenTransport => async (server, how) => {
  const port: ServerPort = {
    ...server,
    connect(outlet, options = {}) {
      const changed = change(outlet, options);
      const peer = server.connect(changed.outlet ?? outlet, changed.options ?? options);
      const mine = peers(peer);
      return {
        receive: (decoded, to) => (mine.receive ?? peer.receive)(decoded, to),
        close: (why) => (mine.close ?? peer.close)(why),
        idle: () => peer.idle(),
        get inFlight() {
          return peer.inFlight;
        },
        get revision() {
          return peer.revision;
        },
      };
    },
  };
  return serialLines(port, how);
};

/** Changes the bytes on the way to the server (0) or to the client (1). */
const onBytes = (change: (bytes: Uint8Array, to: 0 | 1) => readonly Uint8Array[], maxOf = (most: number): number => most): OpenTransport => async (server, { maxMessageBytes = 16_777_216, cutEvery }) => {
  const { ends: [front, back], hold, put } = byteChannel(cutEvery);
  const changed = (channel: typeof front, to: 0 | 1): typeof front => ({
    ...channel, read: (data, closed) => channel.read((bytes) => change(bytes, to).forEach(data), closed),
  });
  const options = { framing: lines, maxMessageBytes: maxOf(maxMessageBytes), maxWaitingBytes: 16_777_216 };
  const serving = serveSerial(server, changed(front, 0), options);
  const { reopen, ...client } = serialTransport(changed(back, 1), options);
  return { client, closeServer: () => serving.close(), maxMessageBytes, hold, raw: { toServer: (bytes) => put(0, bytes), toClient: (bytes) => put(1, bytes) } };
};

/** Changes the `OpenedTransport` that the test gets. */
const onWire = (change: (wire: OpenedTransport) => Partial<OpenedTransport>, base: OpenTransport = serialLines): OpenTransport => async (server, options) => {
  const wire = await base(server, options);
  return { ...wire, ...change(wire) };
};

/** Swaps the fifth of every ten values with the one after it. */
function swapped<T>(then: (value: T) => void): (value: T) => void {
  let before: T | undefined;
  let count = 0;
  return (value) => {
    if (++count % 10 === 5) before = value;
    else {
      then(value);
      if (before !== undefined) then(before);
      before = undefined;
    }
  };
}

const isNotice = (decoded: Decoded): boolean => decoded.kind === 'notification';

/** Transports with one fault each, by its description. The kit must reject each of them. */
export const brokenTransports: Readonly<Record<string, OpenTransport>> = {
  'two messages of a client are swapped': async (server, options) => {
    const wire = await serialLines(server, options);
    const swap = swapped<readonly [string, Outgoing | undefined]>(([text, message]) => wire.client.send(text, message));
    return { ...wire, client: { ...wire.client, send: (text, message) => swap([text, message]) } };
  },
  'two messages of a server are swapped': told((to) => {
    const swap = swapped<Decoded>((decoded) => to.message(decoded));
    return { message: (decoded) => (isNotice(decoded) ? swap(decoded) : to.message(decoded)) };
  }),
  'every hundredth message of a client is lost': (() => {
    let count = 0;
    return sent((send, text, message) => void (++count % 100 === 0 || send(text, message)));
  })(),
  'every hundredth message of a server is lost': (() => {
    let count = 0;
    return told((to) => ({ message: (decoded) => void (++count % 100 === 0 || to.message(decoded)) }));
  })(),
  'messages of a client come twice': sent((send, text, message) => {
    send(text, message);
    if (text.includes('notifications/said')) send(text, message);
  }),
  'answers come twice': told((to) => ({
    message(decoded) {
      to.message(decoded);
      if (decoded.kind === 'success') to.message(decoded);
    },
  })),
  'an answer overtakes what was said before it': told((to) => {
    let before: Decoded[] = [];
    return {
      message(decoded) {
        if (isNotice(decoded)) return void before.push(decoded);
        to.message(decoded);
        for (const notice of before) to.message(notice);
        before = [];
      },
    };
  }),
  'bytes of a chunk after its first line are dropped': onBytes((bytes) => {
    const end = bytes.indexOf(10);
    return [end < 0 ? bytes : bytes.subarray(0, end + 1)];
  }),
  'a character that is cut by chunks is replaced': onBytes((bytes) => [new TextEncoder().encode(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))]),
  'text is taken for Latin-1': onBytes((bytes) => [new TextEncoder().encode(Buffer.from(bytes).toString('latin1'))]),
  'a mark at the beginning of a text is dropped': sent((send, text, message) => send(text.replaceAll('\uFEFF', ''), message)),
  'separators of lines end a message': sent((send, text, message) => send(text.replaceAll('\u2028', '\n'), message)),
  'a zero ends a text': sent((send, text, message) => send(text.replaceAll('\\u0000', ''), message)),
  'a message over a mebibyte is cut': sent((send, text, message) => send(text.slice(0, 1_048_576), message)),
  'the answer comes inside the send': onClient((client) => {
    let to: ClientReceiver | undefined;
    return {
      ...client,
      open: (receiver) => client.open(to = receiver),
      send(text, message) {
        if (text === 'not JSON') to?.error(new Error('it is not JSON'));
        else client.send(text, message);
      },
    };
  }),
  'the limit is one byte lower than it says': onBytes((bytes) => [bytes], (most) => (most === 50_000 ? most - 1 : most)),
  'the limit is one byte higher than it says': onBytes((bytes) => [bytes], (most) => (most === 50_000 ? most + 1 : most)),
  'a message over the limit is dropped without a word': onServer(() => ({}), (peer) => ({
    receive: (decoded, to) => void (decoded.kind === 'refusal' && /limit/.test(decoded.error.message) || peer.receive(decoded, to)),
  })),
  'a message over the limit is refused without its reason': onServer(() => ({}), (peer) => ({
    receive: (decoded, to) => peer.receive(decoded.kind === 'refusal' ? { ...decoded, error: { code: -32603, message: 'no' } } : decoded, to),
  })),
  'a message over the limit ends the session': onServer(() => ({}), (peer) => ({
    receive(decoded, to) {
      peer.receive(decoded, to);
      if (decoded.kind === 'refusal' && /limit/.test(decoded.error.message)) peer.close('too large');
    },
  })),
  'text that is not JSON ends the session': onServer(() => ({}), (peer) => ({
    receive: (decoded, to) => (decoded.kind === 'refusal' && decoded.id === null ? peer.close('not JSON') : peer.receive(decoded, to)),
  })),
  'bytes that are no text are replaced': onBytes((bytes) => [bytes.some((byte) => byte >= 0xc0) && bytes.length < 100 ? new TextEncoder().encode(new TextDecoder().decode(bytes)) : bytes]),
  'a server that closes is not told to the client': told(() => ({ closed() {} })),
  'the end is told without a cause': told((to) => ({ closed: () => to.closed('') })),
  'the end is told twice': told((to) => ({
    closed(why) {
      to.closed(why);
      setImmediate(() => to.closed(why));
    },
  })),
  'the session goes on when its client has closed': onServer(() => ({}), () => ({ close() {} })),
  'a session ends without a cause': onServer(() => ({}), (peer) => ({ close: () => peer.close('') })),
  'a request after the close is swallowed': onClient((client) => {
    let closed = false;
    return {
      ...client,
      send: (text, message) => void (closed || client.send(text, message)),
      close() {
        closed = true;
        return client.close();
      },
    };
  }),
  'a request after the close is thrown': onClient((client) => {
    let closed = false;
    return {
      ...client,
      send(text, message) {
        if (closed) throw new Error('closed');
        client.send(text, message);
      },
      close() {
        closed = true;
        return client.close();
      },
    };
  }),
  'what was said just before a close is lost': onClient((client) => {
    let closed = false;
    return {
      ...client,
      send: (text, message) => void (text.includes('last words') ? setTimeout(() => closed || client.send(text, message), 5) : client.send(text, message)),
      close() {
        closed = true;
        return client.close();
      },
    };
  }),
  'it opens twice': onClient((client) => {
    let opened = false;
    return {
      ...client,
      async open(to) {
        if (!opened) await client.open(to);
        opened = true;
      },
    };
  }),
  'a server is given no way to end the channel': onServer((_outlet, { onSilent, ...options }) => ({ options })),
  'a server is never told that there is no room': onServer(({ room, ...outlet }) => ({ outlet: { ...outlet, room: () => true } })),
  'what waits for a slow client is dropped': onServer((outlet) => ({
    outlet: { ...outlet, send: (text, message) => void ((outlet.room?.(text.length, true) ?? true) && outlet.send(text, message)) },
  })),
  'a request is charged and never given back': onServer((_outlet, options) => ({ options }), (peer) => ({
    receive(decoded, to) {
      processBudget().hold(1);
      peer.receive(decoded, to);
    },
  })),
  'a reopening goes on with the session before': onWire(({ client }) => ({ client: { ...client, reopen: async () => {} } }), serial(frames({ mtu: 256 }))),
  'a message that spans chunks is two messages': onBytes((bytes) => (bytes.length > 8192 ? [...pieces(bytes, 8192)].flatMap((piece) => [piece, new Uint8Array([10])]) : [bytes])),
};
