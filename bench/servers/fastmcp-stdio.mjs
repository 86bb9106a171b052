import { build } from './fastmcp.mjs';

await build().start({ transportType: 'stdio' });
