// The first step of `npm run build`: otherwise compiled tests of deleted files would still run.
import { rmSync } from 'node:fs';
import { readWords } from './words.mjs';

readWords();

for (const folder of ['src', 'test', 'examples']) {
  rmSync(new URL(`../dist/${folder}`, import.meta.url), { recursive: true, force: true });
}
