#!/usr/bin/env node
// RESOURCE=https://notes.example/mcp ISSUER=https://login.example PORT=3000 npm start
import { serveNotes } from './server.ts';

const { RESOURCE: resource, ISSUER: issuer, PORT = '3000' } = process.env;
if (resource === undefined || issuer === undefined) {
  console.error('set RESOURCE, the public URL of the endpoint, and ISSUER, the authorization server');
  process.exitCode = 2;
} else {
  const server = await serveNotes({ resource, issuer, port: Number(PORT) });
  console.error(`${server.url} serves ${resource}`);
  process.once('SIGTERM', () => void server.close());
}
