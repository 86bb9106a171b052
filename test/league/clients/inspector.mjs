// The command line of @modelcontextprotocol/inspector: it lists the tools, and calls the first one.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { targetOf } from './use.mjs';

const { url, command, args } = targetOf();
const bin = fileURLToPath(new URL('../node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js', import.meta.url));
const target = url ? [url, '--transport', 'http'] : [command, ...args];
for (const words of [['--method', 'tools/list'], ['--method', 'tools/call', '--tool-name', 'echo', '--tool-arg', 'text=Ada']]) {
  spawnSync(process.execPath, [bin, ...target, ...words], { stdio: 'inherit' });
}
