// The runtimes for the conformance fixture: Node through node:http, others through `fetchHandler`.
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { at, start } from './processes.mjs';

const here = 'test/peers/runtimes';

/** The program itself, not npm's script, which would leave the program running when it ends. */
function program(scope, path) {
  const folder = at(`${here}/node_modules/${scope}`);
  const inside = existsSync(folder) ? readdirSync(folder).map((name) => `${folder}/${name}/${path}`) : [];
  return inside.find(existsSync);
}

function begin(command, args, options) {
  if (command === undefined || !existsSync(command)) throw new Error(`Run npm ci in ${here} first`);
  return start(command, args, options);
}

export const runtimes = [
  {
    name: 'node',
    // main.ts serves skills; the others serve the fixture only.
    hasSkills: true,
    start: () => start(process.execPath, [at('dist/test/peers/everything/main.js'), '--port', '0']),
  },
  {
    name: 'http1',
    hasSkills: true,
    start: () => start(process.execPath, [at('dist/test/peers/everything/main.js'), '--port', '0', '--http1']),
  },
  {
    // Four processes behind a round robin: the stored level of a fleet.
    name: 'fleet',
    start: () => start(process.execPath, [at('test/peers/everything/fleet.mjs')]),
  },
  {
    name: 'bun',
    // The installation of bun moves the program from one place to the other.
    start: () => begin(program('@oven', 'bin/bun') ?? at(`${here}/node_modules/bun/bin/bun.exe`), [at(`${here}/bun.mjs`)]),
  },
  {
    name: 'deno',
    start: () => begin(program('@deno', 'deno'), ['run', '--no-config', '--no-remote', '--allow-net=127.0.0.1', at(`${here}/deno.mjs`)]),
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
      return begin(program('@cloudflare', 'bin/workerd'), args, {
        urlOf: (line) => {
          const { event, port } = JSON.parse(line);
          return event === 'listen' ? `http://127.0.0.1:${port}/mcp` : undefined;
        },
      });
    },
  },
];
