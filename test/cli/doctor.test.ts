import assert from 'node:assert/strict';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Diagnosis } from '../../src/doctor/index.ts';
import { serveHttp } from '../../src/transport/http/node/index.ts';
import { allRules } from '../../src/judge/index.ts';
import { fixture } from './fixture.ts';
import { inProcess } from './in-process.ts';
import type { Ran } from './in-process.ts';

// The command `barewire doctor`. test/doctor has its findings.
const program = ['--', process.execPath, fileURLToPath(new URL('../doctor/faulty-program.js', import.meta.url))];
/** The rule of the finding `stray-output`. */
const sentence = allRules().get('stdio-4')?.text;
const run = (...words: string[]): Promise<Ran> => inProcess(['doctor', ...words]);

test('doctor: a finding is what is wrong, what to do, where it is specified and by which rule; an error ends with 1', async () => {
  const { code, out, err } = await run('--slow', '0.001', '--verbose', ...program, 'stray-output');
  assert.deepEqual([code, err], [1, '']);
  assert.equal(out.replace(/\d+ ms|\d+\.\d s/g, 'N'), [
    'ok first answer after N', 'ok it is faulty 1.0.0', 'ok 1 tools', 'ok it speaks 2025-11-25', '',
    'error stray-output', '  stdout has a line that is not a message: "Server listening \\u001b[32mnow\\u001b[0m".',
    '  → Write logs to stderr: console.error, print(..., file=sys.stderr). Nothing but messages may go to', '    stdout, not even at the start.',
    '  2025-11-25 basic/transports#stdio', `  stdio-4: ${sentence}`, '',
    'warning slow-start', '  The first answer came after N; several hosts wait 5 to 30 s.',
    '  → Install the package beforehand instead of fetching it at each start (npx, uvx), and answer', '    initialize before loading large modules.', '  2025-11-25 basic/lifecycle#timeouts', '',
    '1 error, 1 warning, 0 notes', '',
  ].join('\n'));
});

test('doctor: as JSON, with the sentence of a rule; what the program writes to stderr, its words wrapped and in colour at a terminal', async () => {
  const json = await run('--json', '--verbose', ...program, 'stray-output');
  const { server, facts, findings } = JSON.parse(json.out) as { readonly server: string; readonly facts: string[]; readonly findings: { readonly code: string; readonly sentence?: string }[] };
  assert.deepEqual([json.code, json.err, server.endsWith('stray-output'), facts.length], [1, '', true, 4]);
  assert.deepEqual(findings.map(({ code, sentence }) => [code, sentence]), [['stray-output', sentence]]);
  const note = await run('--json', ...program, 'description-missing');
  assert.deepEqual([note.code, (JSON.parse(note.out) as Diagnosis).findings.map((one) => [one.code, one.severity, 'sentence' in one])], [0, [['description-missing', 'note', false]]]);
  const early = await run('--verbose', ...program, 'ended-early');
  assert.match(early.err, /^stderr │ Error: TRAVEL_KEY is not set$/m);
  const quiet = await run(...program, 'ended-early');
  assert.deepEqual([quiet.code, quiet.err, quiet.out.startsWith('error ')], [1, '', true], quiet.out);
  const terminal = await inProcess(['doctor', ...program, 'description-missing'], { columns: 60, env: { NO_COLOR: undefined, FORCE_COLOR: '1' } });
  assert.match(terminal.out, /looking at [^\n]* \.\.\.\n/);
  assert.ok(terminal.bytes.toString().includes('\u001b[36mnote\u001b[39m \u001b[1mdescription-missing\u001b[22m'), terminal.out);
  assert.ok(terminal.out.includes('  → Say what the tool does and when to use it: a model reads\n    nothing else.\n'), terminal.out);
});

test('doctor: a client of one revision; an address, as a page of an origin; nothing found; wrong use', async (t) => {
  const serving = await serveHttp(fixture());
  t.after(() => serving.close({ drainMs: 0 }));
  const { url } = serving;
  const other = await run('--json', '--revision', '2026-07-28', ...program, 'none');
  assert.deepEqual([other.code, (JSON.parse(other.out) as Diagnosis).findings.map(({ code }) => code)], [1, ['wrong-era']]);
  const codes = async (...words: string[]): Promise<string[]> => (JSON.parse((await run('--json', ...words, url)).out) as Diagnosis).findings.map(({ code }) => code);
  const [plain, asPage] = [await codes(), await codes('--origin', 'https://app.example')];
  assert.ok(asPage.length > plain.length, asPage.join());
  const good = await run(...program, 'none');
  assert.deepEqual([good.code, /\n\nNothing was found\.\n$/.test(good.out)], [0, true], good.out);
  for (const [words, why] of [
    [[url, 'more'], /doctor takes one server; unexpected: more/], [['--origin', 'nowhere', url], /--origin takes an origin, such as https:\/\/app\.example/], [['--origin', 'https://a.example/', url], /--origin takes an origin/],
    [['--slow', '0', url], /--slow takes a number from 0\.001 to 3600/], [['--slow', '3601', url], /--slow takes a number/],
  ] as const) {
    const { code, err } = await run(...words);
    assert.equal(code, 2);
    assert.match(err, why);
  }
});
