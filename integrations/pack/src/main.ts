#!/usr/bin/env node
// barewire-pack SERVER [--out FOLDER] [--mcpb-url URL]
import { parseArgs } from 'node:util';
import { pack } from './pack.ts';

const usage = 'barewire-pack SERVER.mjs [--out FOLDER] [--mcpb-url URL]\n\nMakes one .mjs, an .mcpb bundle and, where package.json has mcpName, a server.json. SERVER may be TypeScript.';

try {
  const { values, positionals: [entry, ...more] } = parseArgs({
    allowPositionals: true, options: { out: { type: 'string' }, 'mcpb-url': { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) console.log(usage);
  else if (entry === undefined || more.length > 0) throw new Error(usage);
  else {
    const { out, 'mcpb-url': mcpbUrl } = values;
    const files = await pack(entry, { ...out !== undefined && { out }, ...mcpbUrl !== undefined && { mcpbUrl } });
    for (const { path, bytes } of files) console.log(`${path}  ${(bytes / 1000).toFixed(1)} kB`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
