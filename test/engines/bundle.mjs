// The program for every engine, as one script. The features of the server are constants here, so that the bundler drops the rest.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));

export const programs = {
  tools: { VALIDATED: 'false', ASKING: 'false', CLIENT: 'false' },
  validated: { VALIDATED: 'true', ASKING: 'false', CLIENT: 'false' },
  asking: { VALIDATED: 'true', ASKING: 'true', CLIENT: 'false' },
  client: { VALIDATED: 'false', ASKING: 'false', CLIENT: 'true' },
};

/** Bundles a program. `target`: language version of the engine; `entry`: the entry file; `define`: constants. */
export async function bundle(name, target = 'es2022', { entry = `${here}device.ts`, define = programs[name] } = {}) {
  const { outputFiles } = await build({
    entryPoints: [entry], bundle: true, minify: true, format: 'iife', platform: 'neutral', target, define, write: false, logLevel: 'error',
  });
  return outputFiles[0].text;
}
