#!/usr/bin/env node
// npm start -- PROGRAM [ARGUMENT …]
import { stdioTransport } from 'barewire/stdio';
import { describeTools } from './client.ts';

const [program, ...args] = process.argv.slice(2);
if (program === undefined) {
  console.error('npm start -- PROGRAM [ARGUMENT …]');
  process.exitCode = 2;
} else for (const line of await describeTools(stdioTransport(program, args))) console.log(line);
