#!/usr/bin/env node
// The travel agency behind a login: it takes access tokens that an authorization server issued for it.
//
//   node dist/examples/protected/server.js ISSUER [PORT]
//
// ISSUER is any authorization server with a key set in its metadata (jwks_uri): it signs its access tokens as JWT
// (RFC 9068) for the resource that clients ask for (RFC 8707), or they are checked some other way (see `verify`).
import { serveHttp } from 'barewire/http';
import { bearer } from 'barewire/oauth';
import { createTravelServer } from '../travel/server.ts';

const [issuer, port = '3000'] = process.argv.slice(2);
if (issuer === undefined) throw new Error('usage: server.js ISSUER [PORT]');

const { url, close } = await serveHttp(createTravelServer(), {
  port: Number(port),
  auth: bearer({
    resource: `http://127.0.0.1:${port}/mcp`,
    authorizationServers: [issuer],
    scopes: ['trips'],
    requiredScopes: ['trips'],
  }),
});
console.log(url);
const stop = (): void => void close();
process.once('SIGINT', stop).once('SIGTERM', stop);
