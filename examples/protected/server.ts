#!/usr/bin/env node
// The travel agency behind a login. Every token of the authorization server allows reading; booking and cancelling need the scope
// `trips:write`. A client without it gets 403, asks its user, and retries.
//
//   node dist/examples/protected/server.js ISSUER [PORT]
//
// ISSUER is the authorization server of your users: any one with a key set in its metadata (jwks_uri) that signs its access
// tokens as JWT (RFC 9068) for the requested resource (RFC 8707). Others: see `verify`.
import { pathToFileURL } from 'node:url';
import { serveHttp } from 'barewire/http';
import type { HttpServer } from 'barewire/http';
import { bearer } from 'barewire/oauth';
import { openAgency } from '../travel/agency.ts';
import type { Agency } from '../travel/agency.ts';
import { createTravelServer } from '../travel/server.ts';

/** Serves the agency at `http://127.0.0.1:<port>/mcp`. Behind a public name, `resource` is that name. */
export function serveProtected(issuer: string, port: number, agency: Agency = openAgency()): Promise<HttpServer> {
  const auth = bearer({
    resource: `http://127.0.0.1:${port}/mcp`,
    authorizationServers: [issuer],
    scopes: ['trips:read', 'trips:write'],
    initialScopes: ['trips:read'],
    // The scope for booking includes reading.
    implies: (held, needed) => held === 'trips:write' && needed === 'trips:read',
    onRefused: ({ code, message }) => console.error(`refused (${code}): ${message}`),
  });
  return serveHttp(createTravelServer({}, agency, ['trips:write']), { port, auth });
}

const [, program = '', issuer, port = '3000'] = process.argv;
if (import.meta.url === pathToFileURL(program).href) {
  if (issuer === undefined) throw new Error('usage: server.js ISSUER [PORT]');
  const { url, close } = await serveProtected(issuer, Number(port));
  console.log(url);
  const stop = (): void => void close();
  process.once('SIGINT', stop).once('SIGTERM', stop);
}
