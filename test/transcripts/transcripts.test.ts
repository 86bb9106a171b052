import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { memoryChannel, stdioChannel } from './channels.ts';
import { play } from './play.ts';
import type { Channel } from './play.ts';
import { parseTranscript } from './wire.ts';

// The compiled test lies in dist/test/transcripts.
const folder = fileURLToPath(new URL('../../../test/transcripts/', import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.wire')).sort();

/** Opens the fixture for a feature, over one transport. */
const transports: Readonly<Record<string, (feature: string) => Promise<Channel>>> = {
  memory: memoryChannel,
  stdio: stdioChannel,
};

for (const [transport, open] of Object.entries(transports)) {
  describe(`transcripts over ${transport}`, { concurrency: 4 }, () => {
    for (const file of files) {
      test(file, async () => {
        const transcript = parseTranscript(readFileSync(join(folder, file), 'utf8'));
        const channel = await open(basename(file, '.wire'));
        try {
          await play(transcript, channel);
        } finally {
          await channel.close();
        }
      });
    }
  });
}
