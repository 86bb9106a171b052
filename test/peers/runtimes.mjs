// Where the conformance fixture can be served: on Node through node:http, elsewhere through `fetchHandler`.
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { at, start } from './processes.mjs';

const here = 'test/peers/runtimes';

/** The program itself and not the script that npm puts before it, which would leave the program behind when it ends. */
function program(scope, path) {
  const folder = at(`${here}/node_modules/${scope}`);
  const inside = existsSync(folder) ? readdirSync(folder).map((name) => `${folder}/${name}/${path}`) : [];
  const found = inside.find(existsSync);
  if (found === undefined) throw new Error(`Run npm ci in ${here} first: there is no ${path} in ${folder}`);
  return found;
}

export const runtimes = [
  {
    name: 'node',
    start: () => start(process.execPath, [at('dist/test/peers/everything/main.js'), '--port', '0']),
  },
  {
    name: 'bun',
    start: () => start(at(`${here}/node_modules/bun/bin/bun.exe`), [at(`${here}/bun.mjs`)]),
  },
  {
    name: 'deno',
    start: () => start(program('@deno', 'deno'), ['run', '--no-config', '--no-remote', '--allow-net=127.0.0.1', at(`${here}/deno.mjs`)]),
  },
  {
    name: 'workerd',
    async start() {
      const { build } = createRequire(at('package.json'))('esbuild');
      await build({
        entryPoints: [at(`${here}/workerd.mjs`)],
        outfile: at(`${here}/bundle/workerd.mjs`),
        bundle: true,
        format: 'esm',
        platform: 'neutral',
        target: 'es2022',
        logLevel: 'warning',
      });
      const args = ['serve', at(`${here}/workerd.capnp`), '--control-fd=1'];
      return start(program('@cloudflare', 'bin/workerd'), args, {
        urlOf: (line) => {
          const { event, port } = JSON.parse(line);
          return event === 'listen' ? `http://127.0.0.1:${port}/mcp` : undefined;
        },
      });
    },
  },
];
