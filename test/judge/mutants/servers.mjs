// Broken servers: test/judge/target.ts from a copy with one broken line.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { judgeServer, seenRules } from '../../../dist/lib/judge.js';
import { compile } from '../../../dist/lib/schema-full.js';
import { stdioTransport } from '../../../dist/lib/stdio.js';
import { editsOf, newestOf, saidOf } from './edits.mjs';

/** These rules compare messages of several revisions. */
const revisionsOf = (id) => (/^(lifecycle-(14|19|22|24)|discover-1|versioning-1|base-1|base-80)$/.test(id) ? undefined : newestOf(id));

/** The target's modes, likeliest first. `--careless`: the author passes values that the library rejects. */
function modesOf(id) {
  if (/^base-(26|27|28|30|31)$|^elicitation-(12|5[123])$/.test(id)) return [['--codes'], [], ['--http']];
  if (/^completion-4$/.test(id)) return [['--plain']];
  if (/^stdio-10$/.test(id)) return [['--plain'], []];
  if (/^authorization/.test(id)) return [['--http', '--guarded'], ['--http', '--root', '--guarded']];
  const modern = (newestOf(id)[0] ?? '2026') >= '2026';
  const pipe = [[], ...modern ? [['--modern']] : [], ['--careless']];
  const http = [['--http'], ...modern ? [['--http', '--modern']] : [], ['--http', '--sse']];
  if (/^stdio/.test(id)) return pipe;
  return /^(streamable-http|transports)/.test(id) ? http : [...pipe, ...http];
}

/** Starts the target over HTTP; resolves with its address. */
function started(root, args) {
  const child = spawn(process.execPath, [join(root, 'dist/test/judge/target.js'), ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
  const url = new Promise((resolve) => {
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said += text;
      if (said.includes('\n')) resolve(said.trim());
    });
    child.once('exit', () => resolve(undefined));
  });
  return { url, stop: () => child.kill('SIGKILL') };
}

async function judged(root, args, only, revisions) {
  const options = { hostile: only?.[0] === 'base-60', only, revisions, compile, answerMs: 3000, startMs: 15_000, mayCall: ({ annotations }) => annotations?.readOnlyHint === true };
  if (!args.includes('--http')) {
    return judgeServer({ name: 'target', open: (trace) => stdioTransport(process.execPath, [join(root, 'dist/test/judge/target.js'), ...args], { trace }) }, options);
  }
  const { url, stop } = started(root, args);
  try {
    const address = await url;
    if (address === undefined) return undefined;
    return await judgeServer({ name: 'target', http: { url: address, fetch, ...only?.[0] === 'transports-17' && args.includes('--sse') && { sse: true } } }, options);
  } finally {
    stop();
  }
}

/** `decided`: no reason says that the edit is undecidable. */
async function verdictOf(root, id, decided) {
  const others = new Set();
  for (const args of modesOf(id).slice(0, decided ? undefined : 1)) {
    const ruling = await judged(root, args, [id], revisionsOf(id));
    if (!ruling) continue;
    const { own, dispute, broken } = saidOf(ruling, id);
    const how = args.join(' ') || 'pipe';
    if (own) return { verdict: 'found', how };
    if (dispute) return { verdict: 'found', how, dispute: true };
    if (!args.includes('--codes') && !args.includes('--careless')) for (const one of broken) others.add(one);
  }
  return others.size > 0 ? { verdict: 'under another rule', others: [...others] } : { verdict: 'not found' };
}

/** The rules that intact targets keep, by mode. */
async function unbroken(top) {
  const kept = {};
  for (const args of [[], ['--modern'], ['--codes'], ['--careless'], ['--plain'], ['--http'], ['--http', '--modern'], ['--http', '--guarded'], ['--http', '--root', '--guarded'], ['--http', '--sse']]) {
    kept[args.join(' ') || 'pipe'] = (await judged(top, args))?.judgements ?? [];
  }
  return kept;
}

export const servers = (top) => ({ role: 'server', edits: editsOf(top, 'server'), seen: seenRules(), judge: verdictOf, unbroken: () => unbroken(top) });
