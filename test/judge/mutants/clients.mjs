// Broken clients: test/judge/client.ts from a copy with one broken line.
import { join } from 'node:path';
import { judgeClient, seenClientRules } from '../../../dist/lib/judge.js';
import { clientProgram } from '../../../dist/src/judge/node/client-bench.js';
import { editsOf, newestOf, saidOf } from './edits.mjs';

const waysOf = (id) => (/^(streamable-http|transports|authorization)/.test(id) ? ['http'] : /^stdio|^lifecycle-1[5-7]/.test(id) ? ['stdio'] : ['http', 'stdio']);

const judged = (top, root, way, more, options = {}) => {
  const relay = [process.execPath, join(top, 'dist/lib/cli.js'), 'judge', '--relay'];
  const command = [process.execPath, join(root, 'dist/test/judge/client.js'), way, ...more, way === 'http' ? '{url}' : '{program}'];
  return judgeClient(clientProgram({ command, relay }), { answerMs: 3000, startMs: 20_000, idleMs: 4000, ...options });
};

/** The client's modes, likeliest first. `bare` answers no requests. */
const modesOf = (id) => (id === 'roots-4' ? [['bare']] : [[], ['careless']]);

/** `decided`: no reason says that the edit is undecidable. */
async function verdictOf(top, root, id, decided) {
  const others = new Set();
  const revisions = newestOf(id);
  // A rule of the modern era may need a client of both eras.
  const asked = revisions.length === 1 && revisions[0] >= '2026' ? [...revisions, '2025-11-25'] : revisions;
  for (const way of waysOf(id).slice(0, decided ? undefined : 1)) {
    for (const more of decided ? modesOf(id) : [[]]) {
      const { own, dispute, broken } = saidOf(await judged(top, root, way, more, { only: [id], revisions: asked }), id);
      const how = [way, ...more].join(' ');
      if (own) return { verdict: 'found', how };
      if (dispute) return { verdict: 'found', how, dispute: true };
      if (!more.includes('careless')) for (const one of broken) others.add(one);
    }
  }
  return others.size > 0 ? { verdict: 'under another rule', others: [...others] } : { verdict: 'not found' };
}

/** The rules that intact clients keep, by mode. */
async function unbroken(top) {
  const kept = {};
  for (const way of ['http', 'stdio', 'stdio bare']) {
    const [kind, ...more] = way.split(' ');
    kept[way] = (await judged(top, top, kind, more)).judgements;
  }
  return kept;
}

export const clients = (top) => ({ role: 'client', edits: editsOf(top, 'client'), seen: seenClientRules(), judge: (root, id, decided) => verdictOf(top, root, id, decided), unbroken: () => unbroken(top) });
