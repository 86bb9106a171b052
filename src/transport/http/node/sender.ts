import { request as plainRequest } from 'node:http';
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Agent as HttpsAgent, AgentOptions } from 'node:https';
import type { Readable } from 'node:stream';
import { framingFields } from '../client/sender.ts';
import type { HttpAnswer, HttpSend, HttpSender } from '../client/sender.ts';
import { boundIdle, noteKeepAlive, plainAgent } from './agent.ts';
import { inflaterOf } from './content-encoding.ts';
import type { NodeHttpClientLimits, NodeTransportOptions } from './transport-options.ts';

type AnyAgent = Agent | HttpsAgent;
type SentRequest = (options: RequestOptions, answered: (answer: IncomingMessage) => void) => ClientRequest;

/** The way to one origin. */
interface Route {
  readonly request: SentRequest;
  readonly agent: AnyAgent;
  /** For quick requests while all connections of `agent` are in use: they never wait behind lasting ones. */
  readonly spare: AnyAgent;
  /** The proxy that gets whole HTTP requests; undefined: no proxy, or a tunnel. */
  readonly proxy: URL | undefined;
  readonly proxied: Readonly<Record<string, string>> | undefined;
}

/**
 * Sends over `node:http` and `node:https`. Every request of a transport goes to one origin. Long function: its functions
 * share the agents, the proxy and the path of the last request.
 */
export function nodeSender(origin: URL, options: NodeTransportOptions, limits: NodeHttpClientLimits): HttpSender {
  const { socketPath } = options;
  let route: Route | Promise<Route> | undefined;
  let last: URL | undefined;
  let path = '';
  const hostname = origin.hostname.replace(/^\[|\]$/g, '');

  function send(to: Route, given: HttpSend): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const { method, url, body, cancellation } = given;
      cancellation.check();
      if (url !== last) {
        last = url;
        path = to.proxy ? url.href : url.pathname + url.search;
      }
      // Node writes a list of headers in order: it checks them, but does not index them by name.
      const headers = ['host', url.host];
      if (given.headers['accept-encoding'] === undefined) headers.push('accept-encoding', 'identity');
      for (const name in given.headers) if (!framingFields.includes(name)) headers.push(name, given.headers[name] as string);
      for (const name in to.proxied) headers.push(name, to.proxied[name] as string);
      if (body !== undefined) headers.push('content-length', `${Buffer.byteLength(body)}`);
      const out = to.request({
        method, headers, path,
        host: to.proxy ? to.proxy.hostname : hostname,
        port: (to.proxy ?? url).port || undefined,
        socketPath: to.proxy ? undefined : socketPath,
        agent: given.lasting || hasRoom(to.agent, limits) ? to.agent : to.spare,
      }, (answer) => {
        noteKeepAlive(answer);
        // The response may break before it is read.
        answer.on('error', ignore);
        resolve(answerOf(answer));
      });
      cancellation.onCancel = () => {
        out.destroy();
        reject(new Error('the request was cancelled'));
      };
      let written = -1;
      out.on('socket', (socket) => {
        written = socket.bytesWritten;
      });
      out.on('error', (error) => {
        // The server may close an idle connection at any time. A request is sent again if no byte of it was written.
        if (out.reusedSocket && out.socket?.bytesWritten === written && !cancellation.cancelled) {
          send(to, given).then(resolve, reject);
        } else reject(error);
      });
      out.end(body);
    });
  }

  return {
    send(request) {
      const found = route ??= routeTo(origin, options, limits);
      if (!(found instanceof Promise)) return send(found, request);
      return found.then((to) => {
        route = to;
        return send(to, request);
      });
    },
    close() {
      if (options.agent) return;
      void Promise.resolve(route).then((open) => {
        open?.agent.destroy();
        open?.spare.destroy();
      }, ignore);
    },
  };
}

function hasRoom(agent: AnyAgent, { maxConnections }: NodeHttpClientLimits): boolean {
  let open = 0;
  for (const name in agent.sockets) open += agent.sockets[name]?.length ?? 0;
  return open < maxConnections;
}

function ignore(): void {}

function answerOf(answer: IncomingMessage): HttpAnswer {
  const encoding = answer.headers['content-encoding'];
  return {
    status: answer.statusCode ?? 0,
    header(name) {
      const value = answer.headers[name];
      return typeof value === 'string' || value === undefined ? value : value.join(', ');
    },
    fields: () => Object.entries(answer.headers),
    read(onChunk) {
      return encoding === undefined || encoding.toLowerCase() === 'identity'
        ? readAll(answer, answer, onChunk)
        : inflate(answer, encoding.toLowerCase(), onChunk);
    },
    cancel() {
      answer.destroy();
    },
  };
}

/** A stream paused at its last chunk still emits `end`: resolve only after that chunk was handled. */
function readAll(body: Readable, answer: IncomingMessage, onChunk: (chunk: Uint8Array) => Promise<void> | void): Promise<void> {
  return new Promise((resolve, reject) => {
    let hearing: Promise<void> | undefined;
    const end = (settle: () => void): void => void (hearing ? hearing.then(settle) : settle());
    body.on('data', (chunk: Uint8Array) => {
      const held = onChunk(chunk);
      if (!held) return;
      body.pause();
      hearing = held.then(() => {
        hearing = undefined;
        body.resume();
      }, reject);
    });
    body.on('end', () => end(resolve));
    body.on('error', (error) => end(() => reject(error)));
    answer.on('close', () => {
      if (!answer.complete) end(() => reject(new Error('the connection was closed in the middle of the answer')));
    });
  });
}

/** Reads a compressed body. `onChunk` counts the decompressed bytes, and stops in time. */
async function inflate(
  answer: IncomingMessage, encoding: string, onChunk: (chunk: Uint8Array) => Promise<void> | void,
): Promise<void> {
  const body = await inflaterOf(encoding, answer);
  answer.on('error', (error) => body.destroy(error));
  answer.on('close', () => answer.complete || body.destroy(new Error('the connection was closed')));
  return readAll(answer.pipe(body), answer, onChunk);
}

/** The route to an origin. Without TLS and proxy it is there at once; the modules for them are loaded only when needed. */
function routeTo(origin: URL, options: NodeTransportOptions, limits: NodeHttpClientLimits): Route | Promise<Route> {
  const { agent, proxy } = options;
  const pool: AgentOptions = {
    keepAlive: true, scheduling: 'lifo', maxSockets: limits.maxConnections, maxFreeSockets: limits.maxIdleConnections,
  };
  if (proxy !== undefined || origin.protocol === 'https:') return routeFar(origin, options, limits, pool);
  const plain = (): AnyAgent => agent ?? plainAgent(pool, limits.idleMs);
  return { request: plainRequest, agent: plain(), spare: plain(), proxy: undefined, proxied: undefined };
}

async function routeFar(
  origin: URL, options: NodeTransportOptions, { idleMs }: NodeHttpClientLimits, pool: AgentOptions,
): Promise<Route> {
  const { agent, proxy: wanted, tls } = options;
  const { proxyAddress, proxyHeaders, proxyOf, TunnelAgent } = await import('./proxy.ts');
  const proxy = options.socketPath !== undefined || wanted === undefined ? undefined
    : wanted === 'environment' ? proxyOf(origin, process.env) : proxyAddress(String(wanted));
  if (origin.protocol === 'https:') {
    const https = await import('node:https');
    const settings = { ...pool, ...tls };
    const safe = (): AnyAgent => agent
      ?? boundIdle(proxy ? new TunnelAgent(proxy, settings) : new https.Agent(settings), idleMs);
    return { request: https.request, agent: safe(), spare: safe(), proxy: undefined, proxied: undefined };
  }
  const plain = (): AnyAgent => agent ?? plainAgent(pool, idleMs);
  return { request: plainRequest, agent: plain(), spare: plain(), proxy, proxied: proxy && proxyHeaders(proxy) };
}
