import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { folder, make } from './corpus.ts';

// npm run corpus: writes the corpus anew from test/transcripts.
parseArgs();
for (const [name, text] of await make()) {
  writeFileSync(folder + name, text);
  console.log(`${name}: ${text.split('\n').length - 1} lines, ${Buffer.byteLength(text)} bytes`);
}
