import { request } from 'node:http';
import { Agent } from 'node:https';
import type { AgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for an address from the environment; undefined: none. Reads `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and
 * `NO_PROXY`; the lower-case names take precedence. Loopback addresses never use a proxy.
 */
export function proxyOf(url: URL, env: Environment): URL | undefined {
  const read = (name: string): string => env[name] || env[name.toUpperCase()] || '';
  if (isLoopback(url.hostname) || isExempt(url, read('no_proxy'))) return undefined;
  const named = read(url.protocol === 'https:' ? 'https_proxy' : 'http_proxy') || read('all_proxy');
  return named === '' ? undefined : proxyAddress(named);
}

/** Parses the address of a proxy; the scheme is optional. Throws a TypeError if it is not `http:`. */
export function proxyAddress(text: string): URL {
  const url = new URL(text.includes('://') ? text : `http://${text}`);
  // The message has only the origin: the rest of the URL may hold a password.
  if (url.protocol !== 'http:') throw new TypeError(`not an HTTP proxy: ${url.protocol}//${url.host}`);
  return url;
}

function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/i.test(host);
}

/** `NO_PROXY`: hosts with or without a port, each including its subdomains; `*` is every host. */
function isExempt({ hostname, port, protocol }: URL, list: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  const mine = port || (protocol === 'https:' ? '443' : '80');
  return list.toLowerCase().split(/[\s,]+/).some((entry) => {
    if (entry === '') return false;
    const [, name = '', theirs] = /^(.*?)(?::(\d+))?$/.exec(entry.includes(']') || !/:.*:/.test(entry) ? entry : `[${entry}]`) ?? [];
    if (theirs !== undefined && theirs !== mine) return false;
    const bare = name.replace(/^\*?\./, '');
    return bare === '*' || host === bare || host.endsWith(`.${bare}`);
  });
}

/** The credentials for a proxy whose address has a name and a password. */
export function proxyHeaders({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** An agent that makes TLS connections through a proxy's tunnel. RFC 9110 section 9.3.6. */
export class TunnelAgent extends Agent {
  readonly #proxy: URL;

  constructor(proxy: URL, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(
    options: ConnectionOptions, created?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const callback = created as ((error: Error | null, socket?: Duplex) => void) | undefined;
    const { hostname, port } = this.#proxy;
    const host = options.host?.includes(':') ? `[${options.host}]` : options.host;
    const target = `${host}:${options.port}`;
    const tunnel = request({
      method: 'CONNECT', host: hostname.replace(/^\[|\]$/g, ''), port: port || 80, path: target, agent: false,
      headers: { host: target, ...proxyHeaders(this.#proxy) },
    });
    tunnel.on('error', (error) => callback?.(error));
    tunnel.on('response', (answer) => {
      tunnel.destroy();
      callback?.(new Error(`the proxy refused a tunnel: HTTP ${answer.statusCode}`));
    });
    tunnel.on('connect', (answer, socket: Duplex, head: Buffer) => {
      if (answer.statusCode !== 200) {
        socket.destroy();
        return callback?.(new Error(`the proxy refused a tunnel: HTTP ${answer.statusCode}`));
      }
      if (head.length > 0) socket.unshift(head);
      callback?.(null, connect({ ...options, socket }));
    });
    tunnel.end();
    return undefined;
  }
}
