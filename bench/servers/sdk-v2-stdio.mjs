import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { build } from './sdk-v2.mjs';

serveStdio(build);
