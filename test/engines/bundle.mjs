// The program that every engine runs, as one script: what the server has is set here, so that the rest falls away.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));

export const programs = {
  tools: { VALIDATED: 'false', ASKING: 'false', CLIENT: 'false' },
  validated: { VALIDATED: 'true', ASKING: 'false', CLIENT: 'false' },
  asking: { VALIDATED: 'true', ASKING: 'true', CLIENT: 'false' },
  client: { VALIDATED: 'false', ASKING: 'false', CLIENT: 'true' },
};

/** The text of a program. `target`: the language of the engine; `entry`: the file that it begins with; `define`: what is set in it. */
export async function bundle(name, target = 'es2022', { entry = `${here}device.ts`, define = programs[name] } = {}) {
  const { outputFiles } = await build({
    entryPoints: [entry], bundle: true, minify: true, format: 'iife', platform: 'neutral', target, define, write: false, logLevel: 'error',
  });
  return outputFiles[0].text;
}
