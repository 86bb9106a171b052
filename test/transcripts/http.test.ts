import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { HttpServer } from '../../src/transport/http/node/index.ts';
import { playHttpClient, playHttpServer } from './http-play.ts';
import { parseHttpTranscript } from './http-wire.ts';
import type { HttpTranscript } from './http-wire.ts';
import { fixture } from './server.ts';
import { serveHttp } from '../transport/http/engine.ts';

// The compiled test lies in dist/test/transcripts.
const folder = fileURLToPath(new URL('../../../test/transcripts/', import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/')).filter((name) => name.endsWith('.http')).sort();
const read = (file: string): HttpTranscript => parseHttpTranscript(readFileSync(join(folder, file), 'utf8'));

async function playFile(file: string, transcript: HttpTranscript): Promise<void> {
  const serve = (port: number): Promise<HttpServer> => serveHttp(fixture(basename(file, '.http')), { port, limits: { retryMs: 10 } });
  let served = await serve(0);
  try {
    await playHttpClient(transcript, served.port, async () => {
      await served.close({ drainMs: 0 });
      served = await serve(served.port);
    });
  } finally {
    await served.close({ drainMs: 0 });
  }
}

describe('HTTP transcripts, played to the server', () => {
  for (const file of files) test(file, () => playFile(file, read(file)));
});

describe('HTTP transcripts, played to the client', () => {
  // Left out: refusals, which a client shows by not sending a request, and batches, which this client never sends.
  for (const file of files.filter((name) => !/refus|batching/.test(name))) {
    test(file, () => playHttpServer(read(file), dirname(file)));
  }
});

test('an HTTP transcript that is wrong does not play', async () => {
  const file = files.find((name) => name.includes('2025-11-25')) ?? assert.fail();
  const right = read(file);
  for (const [index, step] of right.steps.entries()) {
    const wrong = step.kind === 'response' ? { ...step, status: step.status + 1 }
      : step.kind === 'event' ? { ...step, fields: new Map([...step.fields, ['id', 'no such id']]) } : undefined;
    if (!wrong) continue;
    await assert.rejects(playFile(file, { ...right, steps: right.steps.with(index, wrong) }), new RegExp(`line ${step.at}: `));
  }
});

test('every revision has HTTP transcripts, and each begins with a sentence', () => {
  assert.deepEqual([...new Set(files.map((file) => dirname(file)))], ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']);
  for (const file of files) assert.match(read(file).title, /\.$/, file);
});
