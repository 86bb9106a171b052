import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const builtAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const compiled = at('src/cli/main.js');
const published = at('lib/cli.js');

/**
 * The command `barewire`, for tests that start it: dist/lib/cli.js, which is what people run, and starts in half the
 * processor time; dist/src/cli/main.js where that was compiled later (`tsc` alone, or for `npm run coverage`).
 */
export const barewire: string = builtAt(published) >= builtAt(compiled) ? published : compiled;
