import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const builtAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const compiled = at('src/cli/main.js');
const published = at('lib/cli.js');

/**
 * The command `barewire`, for tests that start it: the published dist/lib/cli.js, which starts in half the processor time, or
 * dist/src/cli/main.js if that was compiled later (only `tsc`, or for `npm run coverage`).
 */
export const barewire: string = builtAt(published) >= builtAt(compiled) ? published : compiled;
