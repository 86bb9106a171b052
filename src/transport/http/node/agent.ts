import { Agent } from 'node:http';
import type { AgentOptions, IncomingMessage } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** What the first answer on a connection said of how long the server keeps it. */
const idleTimes = new WeakMap<Socket, number>();

/** The server closes its idle connections at a time of its own: one this near to it is not used again. */
const marginMs = 1000;

/** Notes `Keep-Alive: timeout=`, in seconds. */
export function noteKeepAlive(answer: IncomingMessage): void {
  const hint = answer.headers['keep-alive'];
  if (typeof hint !== 'string' || idleTimes.has(answer.socket)) return;
  const [, seconds] = /(?:^|[\s,])timeout=(\d{1,9})/i.exec(hint) ?? [];
  if (seconds !== undefined) idleTimes.set(answer.socket, Number(seconds) * 1000 - marginMs);
}

/**
 * Makes an agent let go of a connection that was idle for `idleMs` milliseconds, or until the last second of the
 * time that the server named.
 */
export function boundIdle<A extends Agent | HttpsAgent>(agent: A, idleMs: number): A {
  agent.keepSocketAlive = (socket: Duplex): boolean => {
    if (!(socket instanceof Socket)) return false;
    const left = Math.min(idleTimes.get(socket) ?? Infinity, idleMs);
    if (left <= 0) return false;
    socket.setKeepAlive(true, 1000);
    socket.unref();
    // An agent ends an idle connection at its timeout, and does not touch one in use.
    if (socket.timeout !== left) socket.setTimeout(left);
    return true;
  };
  return agent;
}

export function plainAgent(options: AgentOptions, idleMs: number): Agent {
  return boundIdle(new Agent(options), idleMs);
}
