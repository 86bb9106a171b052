import { systemClock } from '../../bounds/clock.ts';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkOptions } from '../../bounds/options.ts';
import { guarded, ownAddress } from '../../transport/http/node/internal-exports.ts';
import { OAuthError } from '../errors.ts';
import type { RedirectListener, RedirectReceiver, RedirectResponse } from '../client/authorization-code.ts';

/** The redirect's address, and the page that the person then sees. */
export interface LoopbackOptions {
  /** Default: the registered port if it is free, otherwise one that the system chooses. */
  readonly port?: number | undefined;
  /** Default `/callback`. */
  readonly path?: string | undefined;
  /** The final page for the person, as HTML. `error` is the failure as plain text. */
  readonly page?: ((error: string | undefined) => string) | undefined;
}

/** Milliseconds until the page reports that the result is unknown. */
const pageMs = 30_000;

/** Allows only the navigation by which the authorization server sends the browser here from another site. */
const guard = ownAddress(['127.0.0.1'], 'only');

/**
 * Receives the redirect of a login on 127.0.0.1 (RFC 8252 section 7.3). The port is bound before the login page opens,
 * and released when the login is over. Only this machine reaches it, and only by its own address. From a browser it
 * accepts only top-level navigations, no requests by a page.
 */
export function loopback(options: LoopbackOptions = {}): RedirectReceiver {
  checkOptions('loopback: options', options, { port: 'number', path: 'string', page: 'function' });
  const { port, path = '/callback', page = defaultPage } = options;
  return {
    async listen(preferred) {
      const wanted = port ?? portOf(preferred, path);
      const inbox = makeInbox();
      const server = createServer(guarded(guard, (request, response) => receive(request, response, path, page, inbox.add)));
      try {
        await bind(server, wanted);
      } catch (thrown) {
        if (port !== undefined || wanted === 0) throw thrown;
        await bind(server, 0);
      }
      const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
      return {
        redirectUri,
        next: inbox.next,
        close() {
          inbox.end();
          server.close();
          server.closeIdleConnections();
        },
      } satisfies RedirectListener;
    },
  };
}

function portOf(uri: string | undefined, path: string): number {
  const url = uri === undefined ? undefined : new URL(uri);
  return url?.hostname === '127.0.0.1' && url.pathname === path ? Number(url.port) : 0;
}

function bind(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function receive(
  request: IncomingMessage, response: ServerResponse, path: string, page: (error: string | undefined) => string,
  add: (response: RedirectResponse) => void,
): void {
  const { url: target = '' } = request;
  const show = (status: number, html: string): void => {
    response.writeHead(status, {
      'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', connection: 'close',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'", 'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    }).end(html);
  };
  // Compared as text: parsed as URLs, `//host/callback` and `http://host/callback` would also have the path of the
  // callback.
  if (request.method !== 'GET' || target.split('?', 1)[0] !== path) return show(404, page('Not found.'));
  const timer = systemClock.after(pageMs, () => show(200, page('The result is not known yet: see the program.')));
  response.once('close', () => timer?.stop());
  add({
    url: `http://127.0.0.1:${request.socket.localPort}${target}`,
    answer(error) {
      timer?.stop();
      if (!response.writableEnded) show(error ? 400 : 200, page(error?.message));
    },
  });
}

/** The responses that have arrived, and the reader that waits for the next one. */
function makeInbox(): { add(response: RedirectResponse): void; next(): Promise<RedirectResponse>; end(): void } {
  const waiting: RedirectResponse[] = [];
  let reader: { resolve(response: RedirectResponse): void; reject(error: Error): void } | undefined;
  return {
    add(response) {
      if (reader) reader.resolve(response);
      // A few responses are enough. Further ones are answered with an error.
      else if (waiting.length < 16) waiting.push(response);
      else response.answer(new Error('Too many responses.'));
      reader = undefined;
    },
    next() {
      const first = waiting.shift();
      return first ? Promise.resolve(first) : new Promise((resolve, reject) => {
        reader = { resolve, reject };
      });
    },
    end() {
      for (const response of waiting) response.answer(new Error('The login is over.'));
      reader?.reject(new OAuthError('timeout', 'the login is over'));
    },
  };
}

function defaultPage(error: string | undefined): string {
  const escaped = error?.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
  const text = escaped === undefined
    ? '<h1>You are logged in</h1><p>You can close this page.</p>'
    : `<h1>The login did not work</h1><p>${escaped}</p>`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Login</title>`
    + `<style>body{font:16px sans-serif;margin:4em auto;max-width:40em}</style>${text}</html>`;
}
