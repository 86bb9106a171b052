// A minimal HTTP client on plain sockets: for the handshake, for checks, and as the load generator if wrk is not installed or
// cannot see the relevant part (the events of an SSE response).
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { headers, initialize, initialized, messagesOf, request } from './messages.mjs';
import { percentile } from './stats.mjs';

/** A request in wire format. */
export const wire = (port, head, body, method = 'POST') => {
  let out = `${method} /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n`;
  for (const [name, value] of Object.entries(head)) out += `${name}: ${value}\r\n`;
  if (body !== undefined) out += `content-length: ${Buffer.byteLength(body)}\r\n`;
  return `${out}\r\n${body ?? ''}`;
};

/**
 * Parses responses from one socket. `onHead(status, head)` at the end of the head, `onBody(chunk)` for each piece of the body,
 * `onEnd()` at its end. Supports content-length and chunked, the only forms that node:http sends.
 */
export function reader({ onHead, onBody, onEnd }) {
  let head = '';
  let state = 'head';
  let left = 0;
  let sizeLine = '';
  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (state === 'head') {
        // Heads are short: joining strings is cheaper than a state machine over bytes.
        const from = Math.max(0, head.length - 3);
        const text = chunk.latin1Slice(at);
        head += text;
        const end = head.indexOf('\r\n\r\n', from);
        if (end < 0) return;
        at += text.length - (head.length - end - 4);
        const complete = head.slice(0, end);
        head = '';
        const lower = complete.toLowerCase();
        onHead?.(Number(complete.slice(9, 12)), complete);
        if (lower.includes('\r\ntransfer-encoding: chunked')) {
          state = 'size';
          sizeLine = '';
        } else {
          left = Number(/\r\ncontent-length: (\d+)/.exec(lower)?.[1] ?? 0);
          state = 'body';
          if (left === 0) {
            state = 'head';
            onEnd();
          }
        }
      } else if (state === 'body' || state === 'chunk') {
        const take = Math.min(left, chunk.length - at);
        onBody?.(at === 0 && take === chunk.length ? chunk : chunk.subarray(at, at + take));
        at += take;
        left -= take;
        if (left === 0) {
          if (state === 'body') {
            state = 'head';
            onEnd();
          } else {
            state = 'size';
            sizeLine = '';
            left = 2;
            state = 'crlf';
          }
        }
      } else if (state === 'crlf') {
        const take = Math.min(left, chunk.length - at);
        at += take;
        left -= take;
        if (left === 0) state = 'size';
      } else if (state === 'size') {
        const end = chunk.indexOf(10, at);
        sizeLine += chunk.latin1Slice(at, end < 0 ? chunk.length : end);
        if (end < 0) return;
        at = end + 1;
        left = Number.parseInt(sizeLine, 16);
        sizeLine = '';
        if (left > 0) state = 'chunk';
        else {
          state = 'last';
          left = 2;
        }
      } else {
        const take = Math.min(left, chunk.length - at);
        at += take;
        left -= take;
        if (left === 0) {
          state = 'head';
          onEnd();
        }
      }
    }
  };
}

/** One connection with one request at a time; returns `{ status, head, body }`. */
export function connection(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let settle;
  let answer;
  let pieces;
  const read = reader({
    onHead: (status, head) => {
      answer = { status, head };
      pieces = [];
    },
    onBody: (piece) => pieces.push(Buffer.from(piece)),
    onEnd: () => {
      const done = settle;
      settle = undefined;
      done?.resolve({ ...answer, body: Buffer.concat(pieces).toString('utf8') });
    },
  });
  socket.on('data', read);
  socket.on('error', (error) => settle?.reject(error));
  let closed = false;
  socket.on('close', () => {
    closed = true;
    settle?.reject(new Error('the server closed the connection'));
  });
  return {
    socket,
    post(head, body, method) {
      const before = socket.bytesRead;
      return new Promise((resolve, reject) => {
        settle = { resolve: (value) => resolve({ ...value, bytes: socket.bytesRead - before }), reject };
        if (closed) reject(new Error('the server closed the connection'));
        else socket.write(wire(port, head, body, method));
      });
    },
    close: () => socket.destroy(),
  };
}

const field = (head, name) => new RegExp(`\\r\\n${name}: *([^\\r]*)`, 'i').exec(head)?.[1];

/** Opens `count` sessions over several connections; returns their ids and the revision chosen by the server. */
export async function sessions(port, count) {
  const ids = [];
  let version;
  const lanes = Math.min(count, 64);
  const open = async (lane) => {
    const line = connection(port);
    for (let i = lane; i < count; i += lanes) {
      const opened = await line.post(headers(request('initialize')), initialize());
      const id = field(opened.head, 'mcp-session-id');
      if (opened.status !== 200 || id === undefined) {
        throw new Error(`no session: ${opened.status} ${opened.body.slice(0, 300)}`);
      }
      version ??= messagesOf(field(opened.head, 'content-type'), opened.body).at(-1).result.protocolVersion;
      const noted = await line.post(headers(request('x'), { session: id, version }), initialized);
      if (noted.status !== 202) throw new Error(`initialized refused: ${noted.status} ${noted.body.slice(0, 300)}`);
      ids.push(id);
    }
    line.close();
  };
  await Promise.all(Array.from({ length: lanes }, (_, lane) => open(lane)));
  return { ids, version };
}

/** Posts one message and returns all JSON-RPC messages of the response. Throws on a status other than 200. */
export async function askOnce(port, message, options, id = 9_999_999) {
  const line = connection(port);
  try {
    const answer = await line.post(headers(message, options), `${message.before}${id}${message.after}`);
    if (answer.status !== 200) throw new Error(`HTTP ${answer.status}: ${answer.body.slice(0, 300)}`);
    return { ...answer, messages: messagesOf(field(answer.head, 'content-type'), answer.body) };
  } finally {
    line.close();
  }
}

/**
 * `connections` sockets, one request open on each, for `ms` milliseconds after `warmMs`. `expect(body)` checks each complete
 * response body (a latin1 string); a failed check, and each status other than 200, counts as an error. `counted` is called when
 * counting begins.
 */
export function load(port, message, { connections, ms, warmMs, modern, session, expect, counted }) {
  return new Promise((resolve, reject) => {
    const heads = (session?.ids ?? [undefined]).map((id) => {
      const [before, after] = wire(port, headers(message, { modern, session: id, version: session?.version }), `${message.before}7777777${message.after}`)
        .split('7777777');
      return { before, after };
    });
    let id = 1_000_000;
    let latencies = [];
    let errors = 0;
    let counting = false;
    let stopped = false;
    let startTime = 0;
    let startOwn;
    let result;
    const sockets = [];

    for (let i = 0; i < connections; i++) {
      const { before, after } = heads[i % heads.length];
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      let sent = 0;
      let good = true;
      let body = '';
      const next = () => {
        if (stopped) return;
        sent = performance.now();
        good = true;
        body = '';
        socket.write(before + id++ + after, 'latin1');
      };
      socket.on('connect', next);
      socket.on('error', (error) => (stopped ? undefined : reject(error)));
      socket.on('close', () => (stopped ? undefined : reject(new Error('the server closed a connection under load'))));
      socket.on(
        'data',
        reader({
          onHead: (status) => {
            if (status !== 200) good = false;
          },
          onBody: (piece) => {
            body += piece.latin1Slice();
          },
          onEnd: () => {
            if (counting) {
              latencies.push(performance.now() - sent);
              if (!good || !expect(body)) errors++;
            }
            next();
          },
        }),
      );
      sockets.push(socket);
    }
    setTimeout(() => {
      counting = true;
      counted?.();
      startTime = performance.now();
      startOwn = process.cpuUsage();
      setTimeout(() => {
        const seconds = (performance.now() - startTime) / 1000;
        const own = process.cpuUsage(startOwn);
        counting = false;
        stopped = true;
        for (const socket of sockets) socket.destroy();
        result = {
          perSecond: latencies.length / seconds,
          p50: percentile(latencies, 0.5),
          p99: percentile(latencies, 0.99),
          errors,
          driver: (own.user + own.system) / 1e6 / seconds,
        };
        resolve(result);
      }, ms);
    }, warmMs);
  });
}
