import { Agent } from 'node:http';
import type { AgentOptions, IncomingMessage } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Milliseconds that the server keeps an idle connection (`Keep-Alive` of its first response), less `marginMs`. */
const idleTimes = new WeakMap<Socket, number>();

/** The server closes idle connections too. A connection is not used again within this time before that. */
const marginMs = 1000;

/** Stores `Keep-Alive: timeout=`, in seconds. */
export function noteKeepAlive(answer: IncomingMessage): void {
  const hint = answer.headers['keep-alive'];
  if (typeof hint !== 'string' || idleTimes.has(answer.socket)) return;
  const [, seconds] = /(?:^|[\s,])timeout=(\d{1,9})/i.exec(hint) ?? [];
  if (seconds !== undefined) idleTimes.set(answer.socket, Number(seconds) * 1000 - marginMs);
}

/**
 * Makes an agent close connections that were idle for `idleMs` milliseconds, or until one second before the
 * server's own keep-alive time ends, if that is earlier.
 */
export function boundIdle<A extends Agent | HttpsAgent>(agent: A, idleMs: number): A {
  agent.keepSocketAlive = (socket: Duplex): boolean => {
    if (!(socket instanceof Socket)) return false;
    const left = Math.min(idleTimes.get(socket) ?? Infinity, idleMs);
    if (left <= 0) return false;
    socket.setKeepAlive(true, 1000);
    socket.unref();
    // The agent closes an idle connection on timeout, but not one in use.
    if (socket.timeout !== left) socket.setTimeout(left);
    return true;
  };
  return agent;
}

export function plainAgent(options: AgentOptions, idleMs: number): Agent {
  return boundIdle(new Agent(options), idleMs);
}
