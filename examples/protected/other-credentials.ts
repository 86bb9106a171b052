// Credentials that are no OAuth tokens: `auth` of an HTTP server is any function from a request to whose it is.
// What it returns is `ctx.auth`; sessions and sealed state belong to its `principal`, and its `scopes` are what the
// `scopes` beside tools, resources and prompts are compared with.
import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Auth, Authenticate, HttpListener } from 'barewire/http';

/** SHA-256, in hexadecimal. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * API keys in `X-Api-Key`. Only their digests are kept, so that the table is worth nothing to a thief, and looking one
 * up tells nothing of the others by the time that it takes.
 *
 *     serveHttp(server, { auth: apiKeys({ [digest(key)]: { principal: 'billing', scopes: ['trips:read'] } }) })
 */
export const apiKeys = (byDigest: Readonly<Record<string, Auth>>): Authenticate => (request) => {
  const key = request.header('x-api-key');
  const name = key === undefined ? '' : digest(key);
  return Object.hasOwn(byDigest, name) ? byDigest[name] : undefined;
};

/**
 * The session cookie of the application that the server is a part of. A browser sends it along from any page: let
 * `allowedOrigins` name the application's own alone, and set the cookie with `SameSite=Strict`.
 *
 *     serveHttp(server, { auth: cookie('session', (id) => sessions.get(id)), allowedOrigins: ['https://app.example'] })
 */
export const cookie = (name: string, find: (value: string) => Auth | undefined): Authenticate => (request) => {
  for (const part of (request.header('cookie') ?? '').split(';')) {
    const at = part.indexOf('=');
    if (at > 0 && part.slice(0, at).trim() === name) return find(part.slice(at + 1).trim());
  }
  return undefined;
};

const subjectHeader = 'x-client-subject';

/**
 * The client's certificate (mutual TLS). TLS itself has checked it: the server was made with `requestCert` and `ca`.
 * Its subject goes on as a header that no client can set, because whatever came under that name is taken out first.
 *
 *     const listener = httpListener(server, { auth: certificate, allowedHosts: ['mcp.example'] });
 *     https.createServer({ key, cert, ca, requestCert: true }, withCertificate(listener)).listen(443);
 */
export const withCertificate = (listener: HttpListener): RequestListener =>
  (req: IncomingMessage, res: ServerResponse) => {
    delete req.headers[subjectHeader];
    const socket = req.socket as TLSSocket;
    const name = socket.authorized ? socket.getPeerCertificate().subject?.CN : undefined;
    if (typeof name === 'string') req.headers[subjectHeader] = name;
    listener(req, res);
  };

/** Whose certificate it is, for a listener in `withCertificate`. */
export const certificate: Authenticate = (request) => {
  const subject = request.header(subjectHeader);
  return subject === undefined ? undefined : { principal: subject, scopes: ['trips:read'] };
};
