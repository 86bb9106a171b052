import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { httpChannel, memoryChannel, stdioHost } from './channels.ts';
import type { Host } from './channels.ts';
import { play } from './play.ts';
import type { Channel } from './play.ts';
import { parseTranscript } from '../../src/transcript/transcript.ts';
import { everyNth } from '../every-nth.ts';

// The compiled test lies in dist/test/transcripts.
const folder = fileURLToPath(new URL('../../../test/transcripts/', import.meta.url));
// Transcripts named client-* have messages that our server never sends, and are played only to the client.
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.wire') && !basename(name).startsWith('client-')).sort();

type Open = (feature: string, revision: string) => Promise<Channel>;

async function playFile(file: string, open: Open): Promise<void> {
  const transcript = parseTranscript(readFileSync(join(folder, file), 'utf8'));
  const channel = await open(basename(file, '.wire'), dirname(file));
  try {
    await play(transcript, channel);
  } finally {
    await channel.close();
  }
}

describe('transcripts over memory', () => {
  for (const file of files) test(file, () => playFile(file, memoryChannel));
});

describe('transcripts over stdio', () => {
  let host: Host;
  before(() => {
    host = stdioHost();
  });
  after(() => host.close());
  for (const file of files.filter((_, at) => at % everyNth(2) === 1 % everyNth(2))) test(file, () => playFile(file, host.open));
});

// Transcripts that no HTTP client can send, or that need two requests to arrive in the order of sending.
const pipesOnly = /errors\.wire|cancellation|batching|20(24|25).*lifecycle|2026-07-28.subscriptions/;

describe('transcripts over HTTP, and over HTTP+SSE for 2024-11-05', { concurrency: 8 }, () => {
  for (const file of files.filter((name) => !pipesOnly.test(name)).filter((_, at) => at % everyNth(2) === 0)) test(file, () => playFile(file, httpChannel));
});

/** Every server message with one value changed, added or removed. Placeholders stay. */
function* mutations(json: unknown): Generator<unknown> {
  if (typeof json === 'string') {
    if (!json.startsWith('<')) yield `${json}!`;
  } else if (typeof json === 'number') yield json + 1;
  else if (typeof json === 'boolean') yield !json;
  else if (json === null) yield 0;
  else if (Array.isArray(json)) {
    yield [...json, null];
    for (const [index, item] of json.entries()) for (const changed of mutations(item)) yield json.with(index, changed);
  } else if (typeof json === 'object') {
    yield { ...json, more: null };
    for (const [key, value] of Object.entries(json)) {
      yield Object.fromEntries(Object.entries(json).filter(([other]) => other !== key));
      for (const changed of mutations(value)) yield { ...json, [key]: changed };
    }
  }
}

describe('a transcript that is wrong anywhere does not play', { concurrency: true }, () => {
  // The newest revision of each era, and the one with batches.
  for (const file of files.filter((name) => /^(2025-11-25|2026-07-28).(lifecycle|elicitation|progress)\.wire$|batching/.test(name))) {
    test(file, async () => {
      const transcript = parseTranscript(readFileSync(join(folder, file), 'utf8'));
      let changes = 0;
      for (const [index, line] of transcript.lines.entries()) {
        if (line.from === 'client') continue;
        for (const json of mutations(line.json)) {
          if (changes++ % everyNth(12) > 0) continue;
          const channel = await memoryChannel(basename(file, '.wire'));
          const changed = { ...transcript, lines: transcript.lines.with(index, { ...line, json }) };
          await assert.rejects(play(changed, channel), /line \d+: /, `line ${line.at} as ${JSON.stringify(json)}`);
          await channel.close();
        }
      }
      assert.ok(changes > 0);
    });
  }
});
