#!/usr/bin/env node
import { serveStdio } from 'barewire/stdio';
import { createServer } from './server.ts';

const { server } = await createServer('tasks', { send: async (what) => what });
serveStdio(server);
