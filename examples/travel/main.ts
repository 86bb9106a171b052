#!/usr/bin/env node
// The travel agency as a program, on its standard streams, as an MCP host starts it:
//
//   {"mcpServers": {"travel": {"command": "node", "args": ["dist/examples/travel/main.js"]}}}
import { serveStdio } from 'barewire/stdio';
import { createTravelServer } from './server.ts';

// 32 bytes in base64: processes that share it can finish each other's bookings.
const { TRAVEL_STATE_KEY: key } = process.env;

const server = createTravelServer({
  ...key !== undefined && { requestState: { keys: [Uint8Array.from(Buffer.from(key, 'base64'))] } },
  onError: (error) => console.error(error.message),
});

serveStdio(server);
