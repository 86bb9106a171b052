// Credentials other than OAuth tokens: `auth` of an HTTP server is any function from a request to its identity. The result is
// `ctx.auth`; sessions and sealed state belong to its `principal`, and its `scopes` are compared with the `scopes` of tools,
// resources and prompts.
import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Auth, Authenticate, HttpListener } from 'barewire/http';

/** SHA-256, in hexadecimal. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * API keys in `X-Api-Key`. Only their digests are stored, so that a stolen table is useless, and the time of a lookup reveals
 * nothing about other keys.
 *
 *     serveHttp(server, { auth: apiKeys({ [digest(key)]: { principal: 'billing', scopes: ['trips:read'] } }) })
 */
export const apiKeys = (byDigest: Readonly<Record<string, Auth>>): Authenticate => (request) => {
  const key = request.header('x-api-key');
  const name = key === undefined ? '' : digest(key);
  return Object.hasOwn(byDigest, name) ? byDigest[name] : undefined;
};

/**
 * The session cookie of the application that contains the server. A browser sends it from any page: allow only the application's
 * own origin in `allowedOrigins`, and set the cookie with `SameSite=Strict`.
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
 * The client's certificate (mutual TLS). TLS itself has verified it: the server is created with `requestCert` and `ca`. Its
 * subject is passed as a header that no client can set, because a received header of that name is removed first.
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

/** The identity from the certificate, for a listener in `withCertificate`. */
export const certificate: Authenticate = (request) => {
  const subject = request.header(subjectHeader);
  return subject === undefined ? undefined : { principal: subject, scopes: ['trips:read'] };
};
