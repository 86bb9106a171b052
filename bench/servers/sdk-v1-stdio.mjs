import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { build } from './sdk-v1.mjs';

await build().connect(new StdioServerTransport());
