// barewire's server behind bearer(), on this machine.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { httpListener } from '../../dist/lib/http.js';
import { bearer } from '../../dist/lib/oauth.js';
import { McpServer } from '../../dist/lib/server.js';

export function tripsServer() {
  const server = new McpServer({ name: 'trips', version: '1.0.0' });
  server.tool('whoami', { description: 'Says who you are' }, (_, { auth }) =>
    JSON.stringify({ subject: auth.subject, scopes: auth.scopes, clientId: auth.clientId, principal: auth.principal }));
  server.tool('book_trip', {
    description: 'Books a trip',
    input: { type: 'object', properties: { destination: { type: 'string' } }, required: ['destination'] },
    scopes: ['trips:write'],
  }, ({ destination }, { auth }) => `Booked ${destination} for ${auth.subject}`);
  return server;
}

/** Serves it for tokens of `issuer`. `refused` collects the codes of the refusals. */
export async function startResourceServer(issuer, { server = tripsServer(), path = '/mcp', http = {}, ...options } = {}) {
  const refused = [];
  const requests = [];
  const waiting = [];
  let listener;
  const sockets = createServer((req, res) => {
    const { authorization, dpop, 'mcp-method': mcpMethod } = req.headers;
    const request = { method: req.method, url: req.url, authorization, dpop, mcpMethod, status: undefined };
    requests.push(request);
    const { writeHead } = res;
    res.writeHead = (...head) => {
      request.status = res.statusCode = head[0];
      for (const { wanted, resolve } of waiting) if (wanted(request)) resolve(request);
      return writeHead.apply(res, head);
    };
    listener(req, res);
  });
  sockets.listen(0, '127.0.0.1');
  await once(sockets, 'listening');
  const url = `http://127.0.0.1:${sockets.address().port}${path}`;
  const makeAuth = () => bearer({
    resource: url, authorizationServers: [typeof issuer === 'function' ? issuer() : issuer], scopes: ['trips:read', 'trips:write'], initialScopes: ['trips:read'],
    implies: (held, needed) => held === 'trips:admin' && needed.startsWith('trips:'),
    onRefused: ({ code }) => refused.push(code),
    ...options,
  });
  // If the issuer is a function, its value is known at the first request.
  listener = (req, res) => {
    listener = httpListener(server, { path, auth: makeAuth(), ...http });
    listener(req, res);
  };
  return {
    url, refused, requests, server,
    /** Resolves when a matching request has been answered, at least its head. */
    answered: (wanted) => requests.find((request) => request.status !== undefined && wanted(request))
      ?? new Promise((resolve) => waiting.push({ wanted, resolve })),
    close() {
      sockets.closeAllConnections();
      return new Promise((resolve) => sockets.close(resolve));
    },
  };
}
