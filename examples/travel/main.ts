#!/usr/bin/env node
// The travel agency as a program over stdio, for an MCP host with this configuration:
//
//   {"mcpServers": {"travel": {"command": "node", "args": ["dist/examples/travel/main.js"]}}}
//
// With `--http PORT` it serves http://127.0.0.1:PORT/mcp instead; port 0 selects a free one.
import { parseArgs } from 'node:util';
import { serveHttp } from 'barewire/http';
import { serveStdio } from 'barewire/stdio';
import { createTravelServer } from './server.ts';

// 32 bytes in base64: processes that share it can complete each other's bookings.
const { TRAVEL_STATE_KEY: key } = process.env;

const server = createTravelServer({
  ...key !== undefined && { requestState: { keys: [Uint8Array.from(Buffer.from(key, 'base64'))] } },
  onError: (error) => console.error(error.message),
});

const { http } = parseArgs({ options: { http: { type: 'string' } } }).values;
if (http === undefined) {
  serveStdio(server);
} else {
  const { url, close } = await serveHttp(server, { port: Number(http) });
  console.log(url);
  const stop = (): void => void close();
  process.once('SIGINT', stop).once('SIGTERM', stop);
}
