// The first step of `npm run build`: compiled tests of files that are gone would run all the same.
import { rmSync } from 'node:fs';
import { readWords } from './words.mjs';

readWords();

for (const folder of ['src', 'test', 'examples']) {
  rmSync(new URL(`../dist/${folder}`, import.meta.url), { recursive: true, force: true });
}
