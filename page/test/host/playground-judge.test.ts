// The judge of playground.html omits rules and probes that a quick run over stdio does not use. Its verdicts are the same.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Plugin } from 'esbuild';
import { judgeServer } from 'barewire/judge';
import type { JudgeRuling } from 'barewire/judge';
import { formats } from 'barewire/schema';
import { compile } from 'barewire/schema/full';
import { openServer } from '../../src/server/open.ts';

const packageRoot = fileURLToPath(new URL('../../../', import.meta.url));
const bare = fileURLToPath(new URL('../ui/servers/bare.js', import.meta.url));
const travel = fileURLToPath(new URL('../../../../dist/examples/travel/main.js', import.meta.url));

interface Plugins {
  readonly playground: () => Plugin;
  readonly fromSources: (tree: string) => Plugin;
}

async function carried(folder: string): Promise<typeof judgeServer> {
  const { playground }: Pick<Plugins, 'playground'> = await import(pathToFileURL(`${packageRoot}playground.mjs`).href);
  const { fromSources }: Pick<Plugins, 'fromSources'> = await import(pathToFileURL(`${packageRoot}../scripts/trees.mjs`).href);
  const { outputFiles: [file] } = await build({
    stdin: { contents: 'export { judgeServer } from "barewire/judge";', resolveDir: packageRoot }, bundle: true, write: false, format: 'esm', platform: 'node', target: 'es2022', tsconfigRaw: {},
    plugins: [playground(), fromSources(`${packageRoot}..`)],
  });
  const path = join(folder, 'judge.mjs');
  await writeFile(path, file?.text ?? '');
  const { judgeServer: found }: { readonly judgeServer: typeof judgeServer } = await import(pathToFileURL(path).href);
  return found;
}

const said = ({ judgements, failures }: JudgeRuling): unknown => [failures, judgements.filter(({ verdict }) => verdict !== 'not-seen' && verdict !== 'not-applicable').map(({ rule, verdict, level, revisions }) => [rule.id, rule.text, verdict, level, revisions]).sort()];

test('the judge of playground.html says of a program what a quick run says', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'barewire-judge-'));
  t.after(() => rm(folder, { recursive: true }));
  const lesser = await carried(folder);
  for (const server of [bare, travel]) {
    const run = (judge: typeof judgeServer): Promise<JudgeRuling> => judge({
      name: 'one', open: (trace) => openServer({ command: process.execPath, args: [server] }, { onStderr: () => {}, auth: undefined, trace: (passed) => { if (passed.kind === undefined || passed.kind === 'message') trace(passed); } }),
    }, { quick: true, compile: (schema) => compile(schema, { formats }) });
    const [whole, some] = await Promise.all([run(judgeServer), run(lesser)]);
    assert.ok(whole.judgements.filter(({ verdict }) => verdict === 'kept').length > 10);
    assert.deepEqual(said(some), said(whole));
    assert.ok(some.judgements.length < whole.judgements.length, 'rules of addresses are left out');
  }
});
