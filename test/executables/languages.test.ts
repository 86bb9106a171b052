import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { program, script, serve, toolFolder } from './folder.ts';

const unix = process.platform === 'win32' ? 'scripts with #! are for Unix' : false;
const has = (command: string): boolean => spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;

test('executables: tools in sh, Python, C and JavaScript', { skip: unix }, async (t) => {
  const folder = toolFolder(t);
  const parameters = { properties: { text: { type: 'string' } }, required: ['text'] };
  folder.add('shell', script({ name: 'in_sh', description: 'In sh', parameters }, 'printf \'{"result": "sh: %s"}\\n\' "$(printf %s "$line" | tr -d \'"\')"'));
  folder.add('node', program(
    { name: 'in_javascript', parameters, output: { type: 'object', properties: { length: { type: 'integer' } } }, annotations: { readOnlyHint: true } },
    'say({ result: { length: request.params.text.length } });',
  ));
  if (has('python3')) {
    folder.add('snake.py', `#!/usr/bin/env python3
import json, sys
if sys.argv[1:] == ['--schema']:
    json.dump({'name': 'in_python', 'parameters': ${JSON.stringify(parameters)}}, sys.stdout, indent=2)
else:
    request = json.load(sys.stdin)
    print(json.dumps({'result': request['params']['text'][::-1]}, indent=2))
`);
  }
  const compiler = ['cc', 'gcc'].find(has);
  if (compiler !== undefined) {
    const source = join(folder.path, 'upper.c');
    writeFileSync(source, `#include <ctype.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "--schema")) {
    puts("{\\"name\\": \\"in_c\\", \\"parameters\\": {\\"properties\\": {\\"text\\": {\\"type\\": \\"string\\"}}}}");
    return 0;
  }
  char line[4096];
  if (!fgets(line, sizeof line, stdin)) return 1;
  char *from = strstr(line, "\\"text\\":\\"");
  if (!from) { puts("{\\"error\\": {\\"message\\": \\"no text\\", \\"code\\": 22}}"); return 1; }
  from += 8;
  printf("{\\"result\\": \\"");
  for (; *from && *from != '"'; from++) putchar(toupper((unsigned char)*from));
  puts("\\"}");
  return 0;
}
`);
    assert.equal(spawnSync(compiler, ['-o', join(folder.path, 'upper'), source], { stdio: 'inherit' }).status, 0);
  }
  const { call, client, problems, tools } = await serve(t, folder);
  assert.deepEqual([...problems], []);
  assert.match(await call('in_sh', { text: 'hi' }), /^sh: \{name:in_sh,params:\{text:hi\}\}$/);
  assert.deepEqual((await client.callTool('in_javascript', { text: 'four' })).structuredContent, { length: 4 });
  const listed = await client.listTools();
  assert.deepEqual(listed.map(({ name }) => name), tools.tools);
  assert.equal(listed.find(({ name }) => name === 'in_javascript')?.annotations?.readOnlyHint, true);
  if (has('python3')) assert.equal(await call('in_python', { text: 'abc' }), 'cba');
  if (compiler !== undefined) {
    assert.equal(await call('in_c', { text: 'abc' }), 'ABC');
    assert.equal(await call('in_c'), '!no text (22)');
  }
  // The arguments are validated before the program runs.
  assert.match(await call('in_sh', { text: 5 }), /^!arguments\.text/);
});

test('executables: nothing passes through a shell, and the environment is their own', { skip: unix }, async (t) => {
  const folder = toolFolder(t);
  const trap = join(folder.path, 'trapped');
  folder.add(`$(touch trapped); 'a" b`, program({ name: 'echo' }, 'say({ result: request.params.text });'));
  folder.add('env', program({ name: 'env' }, 'say({ result: { env: process.env, cwd: process.cwd() } });'));
  process.env['BAREWIRE_TEST_SECRET'] = 'secret';
  t.after(() => delete process.env['BAREWIRE_TEST_SECRET']);
  const { call, problems } = await serve(t, folder, { env: { GIVEN: 'yes' } });
  assert.deepEqual([...problems], []);
  const text = `$(touch ${trap}) \`touch ${trap}\`; touch ${trap} ' " \\ \n %PATH% 'x`;
  assert.equal(await call('echo', { text }), text);
  assert.equal(existsSync(trap), false);
  const { env, cwd } = JSON.parse(await call('env')) as { env: Record<string, string>; cwd: string };
  for (const name of Object.keys(env)) assert.ok(['PATH', 'HOME', 'LANG', 'GIVEN', 'PWD', '_', 'SHLVL', 'OLDPWD'].includes(name), name);
  assert.equal(env['GIVEN'], 'yes');
  assert.equal(env['HOME'], cwd);
  assert.equal(existsSync(cwd), false, 'its folder goes with the run');
});

test('executables: progress, log and parts of the result stream while the tool runs', { skip: unix }, async (t) => {
  const folder = toolFolder(t);
  const go = join(folder.path, 'go');
  folder.add('stream', script({ name: 'stream' }, `
echo '{"progress": {"progress": 1, "total": 2, "message": "half"}}'
echo '{"log": {"level": "warning", "data": {"careful": true}}}'
echo '{"log": "plain"}'
while [ ! -e ${go} ]; do sleep 0.05; done
echo '{"progress": 2}'
echo '{"result": "done"}'`));
  folder.add('parts', script({ name: 'parts' }, 'for part in a b c; do echo "{\\"partial\\": \\"$part\\"}"; done'));
  const seen: string[] = [];
  const { client, call } = await serve(t, folder, {}, {
    logLevel: 'debug', onLog: ({ level, data, logger }) => seen.push(`${logger} ${level} ${JSON.stringify(data)}`),
  });
  const reports: unknown[] = [];
  const result = await client.callTool('stream', {}, {
    onProgress({ progress, total, message }) {
      reports.push([progress, total, message]);
      // The message arrived while the tool was running.
      writeFileSync(go, '');
    },
  });
  assert.deepEqual(result.content, [{ type: 'text', text: 'done' }]);
  assert.deepEqual(reports, [[1, 2, 'half'], [2, undefined, undefined]]);
  assert.deepEqual(seen, ['stream warning {"careful":true}', 'stream info "plain"']);
  assert.equal(await call('parts'), 'abc');
  rmSync(go);
});

for (const revision of ['2025-06-18', '2025-11-25', '2026-07-28']) {
  test(`executables: a tool that asks is run again with its answers, ${revision}`, { skip: unix }, async (t) => {
    const folder = toolFolder(t);
    const runs = join(folder.path, 'runs.txt');
    const schema = { type: 'object', properties: { seat: { type: 'string' } }, required: ['seat'] };
    folder.add('book', program({ name: 'book' }, `
      require('node:fs').appendFileSync(process.env.RUNS, JSON.stringify(request.answers ?? []) + '\\n');
      const [seat, sure] = request.answers ?? [];
      if (!seat) say({ ask: { message: 'Which seat?', schema: ${JSON.stringify(schema)} } });
      else if (!sure) say({ ask: { message: 'Sure of ' + seat.content.seat + '?' } });
      else say({ result: seat.content.seat + ' ' + sure.action });`));
    folder.add('stays', script({ name: 'stays', stdin: 'open' }, `
echo run >> "$RUNS"
echo '{"ask": {"message": "Which seat?", "schema": ${JSON.stringify(schema)}}}'
read -r first
echo '{"ask": {"message": "Sure?"}}'
read -r second
printf '{"result": {"first": %s, "second": %s}}\\n' "$first" "$second"`));
    folder.add('wrong', program({ name: 'wrong' }, 'say({ ask: { message: "?", schema: { properties: { x: { type: "object" } } } } });'));
    folder.add('forever', program({ name: 'forever' }, 'say({ ask: { message: "again?" } });'));
    const asked: string[] = [];
    const { call } = await serve(t, folder, { env: { RUNS: runs }, limits: { maxRunsPerCall: 4 } }, {
      onElicit(form) {
        asked.push(form.message);
        return form.message.startsWith('Which') ? { action: 'accept', content: { seat: '12A' } } : { action: 'decline' };
      },
    }, revision);
    assert.equal(await call('book'), '12A decline');
    assert.deepEqual(asked.splice(0), ['Which seat?', 'Sure of 12A?']);
    // No run was repeated, in either era.
    const [none, one, two, ...more] = readFileSync(runs, 'utf8').trim().split('\n').map((line) => (JSON.parse(line) as unknown[]).length);
    assert.deepEqual([none, one, two, more], [0, 1, 2, []]);

    rmSync(runs);
    assert.deepEqual(JSON.parse(await call('stays')), { first: { action: 'accept', content: { seat: '12A' } }, second: { action: 'decline' } });
    assert.deepEqual(asked.splice(0), ['Which seat?', 'Sure?']);
    // One process if the session lasts; otherwise one for each round.
    assert.equal(readFileSync(runs, 'utf8').trim().split('\n').length, revision === '2026-07-28' ? 3 : 1);
    assert.match(await call('wrong'), /^!wrong asks an invalid question/);
    assert.match(await call('forever'), /^!forever: more than 4 runs for one call/);
    assert.equal(asked.length, 4);
  });
}

test('executables: tools call each other; depth and cycles are bounded, arguments are judged', { skip: unix }, async (t) => {
  const folder = toolFolder(t);
  const calls = (name: string, other: string, params = '{ n: request.params.n + 1 }'): string => program({ name }, `
    const [answer] = request.answers ?? [];
    say(answer ? { result: answer } : { call: { name: ${JSON.stringify(other)}, params: ${params} } });`);
  folder.add('twice', program({ name: 'twice', parameters: { properties: { n: { type: 'number' } }, required: ['n'] } }, 'say({ result: request.params.n * 2 });'));
  folder.add('plus', calls('plus', 'twice'));
  folder.add('badly', calls('badly', 'twice', '{ n: "x" }'));
  folder.add('ping', calls('ping', 'pong'));
  folder.add('pong', calls('pong', 'ping'));
  folder.add('nobody', calls('nobody', 'none'));
  folder.add('open', script({ name: 'open', stdin: 'open' }, 'echo \'{"call": {"name": "twice", "params": {"n": 4}}}\'; read -r got; printf \'{"result": %s}\\n\' "$got"'));
  folder.add('told', script({ name: 'told', stdin: 'open' }, 'printf \'{"result": %s}\\n\' "$line"'));
  for (let i = 0; i < 4; i++) folder.add(`deep${i}`, calls(`deep${i}`, `deep${i + 1}`));
  const { call } = await serve(t, folder, { limits: { maxCallDepth: 2 } });
  const json = async (name: string): Promise<unknown> => JSON.parse(await call(name, { n: 1 }));
  assert.deepEqual(await json('plus'), { result: 4 });
  assert.deepEqual(await json('open'), { result: 8 });
  assert.deepEqual(JSON.parse(await call('told', { n: 1 })), { name: 'told', params: { n: 1 } }, 'the first line of an open input is the call');
  assert.match(JSON.stringify(await json('badly')), /params\.n.*invalid_params/);
  assert.match(JSON.stringify(await json('ping')), /ping calls pong calls ping.*cycle/);
  assert.match(JSON.stringify(await json('nobody')), /unknown_tool/);
  assert.match(JSON.stringify(await json('deep0')), /^\{"result":\{"result":\{"error":.*more than 2 deep.*too_deep/);
});

test('executables: pipeline.json chains tools', { skip: unix }, async (t) => {
  const folder = toolFolder(t);
  folder.add('split', program({ name: 'split' }, 'say({ result: request.params.text.split(" ") });'));
  folder.add('count', program({ name: 'count' }, 'say({ result: { count: request.params.list.length, note: request.params.note } });'));
  folder.add('fail', program({ name: 'fail' }, 'say({ error: { message: "no", code: "E1" } });'));
  const text = { properties: { text: { type: 'string' } }, required: ['text'] };
  writeFileSync(join(folder.path, 'pipeline.json'), JSON.stringify([
    {
      name: 'words', description: 'Counts words', parameters: text,
      steps: [{ tool: 'split', params: { text: '$params.text' } }, { tool: 'count', params: { list: '$last', note: '$$last' } }],
      result: { words: '$steps.1.count', note: '$last.note', first: '$steps.0.0' },
    },
    { name: 'stops', steps: [{ tool: 'fail' }, { tool: 'split' }] },
    { name: 'nowhere', parameters: text, steps: [{ tool: 'split', params: { text: '$params.text' } }, { tool: 'split', params: { text: '$last.none' } }] },
    { name: 'itself', steps: [{ tool: 'itself' }] },
  ]));
  const { call, problems, tools } = await serve(t, folder);
  assert.deepEqual([...problems], []);
  assert.deepEqual(JSON.parse(await call('words', { text: 'a b c' })), { words: 3, note: '$last', first: 'a' });
  assert.equal(await call('stops'), '!step 0 (fail): no (E1)');
  assert.equal(await call('nowhere', { text: 'a' }), '!there is no $last.none (reference)');
  assert.match(await call('itself'), /^!step 0 \(itself\): itself calls itself/);
  writeFileSync(join(folder.path, 'pipeline.json'), '{"name": "words", "steps": [{"tool": "split", "params": "$last"}]}');
  await tools.refresh();
  assert.match(problems.get('pipeline.json') ?? '', /\$last is not known before step 0/);
  assert.deepEqual([...tools.tools].sort(), ['count', 'fail', 'split']);
});
