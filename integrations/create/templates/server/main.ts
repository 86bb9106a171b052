#!/usr/bin/env node
import { serveStdio } from 'barewire/stdio';
import { createServer } from './server.ts';

// Messages go over stdout: print to stderr.
serveStdio(createServer());
