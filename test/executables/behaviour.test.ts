import assert from 'node:assert/strict';
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { script, serve, toolFolder } from './folder.ts';

const unix = process.platform === 'win32' ? 'scripts need a shell' : false;

test('executables: what --schema says is what clients are told, and a result takes its form', { skip: unix }, async (t) => {
  const folder = toolFolder(t);
  const output = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  folder.add('whole', script({ name: 'whole', title: 'The whole', description: 'Says all', parameters: { properties: { a: { type: 'string' } } }, output, annotations: { readOnlyHint: true } }, 'echo \'{"result": {"n": 5}}\''));
  folder.add('bare', script({ name: 'bare' }, 'printf \'{"result":\\n {"content": [{"type": "text", "text": "over lines"}]}}\\n\''));
  folder.add('listed', script({ name: 'listed' }, 'echo \'{"partial": "a"}\'; echo \'{"partial": {"b": 1}}\''));
  folder.add('where', script({ name: 'where' }, 'printf \'{"result": "%s|%s|%s|%s"}\' "$PWD" "$HOME" "$GIVEN" "${SECRET_OF_TEST-none}"'));
  folder.add('crlf', script({ name: 'crlf' }, 'printf \'\\r\\n\\n{"result": "windows"}\\r\\n\''));
  folder.add('speaks', script({ name: 'speaks' }, 'printf \'one\\r\\n\\ntwo\' >&2; echo \'{"result": null}\''));
  const heard: string[] = [];
  process.env['SECRET_OF_TEST'] = 'must not be seen';
  t.after(() => delete process.env['SECRET_OF_TEST']);
  const { client, call, tools } = await serve(t, folder, { env: { GIVEN: 'given' }, onStderr: (tool, line) => void heard.push(`${tool}: ${line}`) });
  const listed = await client.listTools();
  assert.deepEqual(listed.find(({ name }) => name === 'whole'), {
    name: 'whole', title: 'The whole', description: 'Says all', inputSchema: { type: 'object', properties: { a: { type: 'string' } } }, outputSchema: output, annotations: { readOnlyHint: true },
  });
  assert.deepEqual(listed.find(({ name }) => name === 'bare'), { name: 'bare', inputSchema: { type: 'object', properties: {} } });
  assert.deepEqual((await client.callTool('whole', {})).structuredContent, { n: 5 });
  assert.deepEqual(await client.callTool('bare', {}), { content: [{ type: 'text', text: 'over lines' }] });
  assert.equal(await call('listed'), '["a",{"b":1}]');
  assert.equal(await call('crlf'), 'windows');
  assert.equal(await call('speaks'), 'null');
  assert.deepEqual(heard, ['speaks: one', 'speaks: two']);
  const [pwd = '', home, given, secret] = (await call('where')).split('|');
  assert.match(pwd, /barewire-tool-/);
  assert.deepEqual([home === pwd, home === homedir(), given, secret], [true, false, 'given', 'none']);
  assert.equal(tools.tools.length, 6);
});

test('executables: a tool that another one calls reports nothing to the client but its log', { skip: unix }, async (t) => {
  const folder = toolFolder(t);
  folder.add('inner', script({ name: 'inner' }, 'echo \'{"progress": 7}\'; echo \'{"partial": "piece"}\'; echo \'{"log": "from inside"}\''));
  folder.add('outer', script({ name: 'outer', stdin: 'open' }, 'echo \'{"progress": 1}\'; echo \'{"call": {"name": "inner"}}\'; read -r got; printf \'{"result": %s}\\n\' "$got"'));
  folder.add('again', script({ name: 'again' }, 'case "$line" in *answers*) echo \'{"result": "done"}\';; *) echo \'{"call": {"name": "inner"}}\';; esac'));
  folder.add('parts', script({ name: 'parts' }, 'echo \'{"partial": "one"}\'; echo \'{"partial": [2]}\''));
  folder.add('both', script({ name: 'both' }, 'echo \'{"progress": 5}\'; echo \'{"partial": "one"}\''));
  const logged: string[] = [];
  const { client } = await serve(t, folder, {}, { logLevel: 'debug', onLog: ({ logger, level, data }) => void logged.push(`${logger} ${level} ${JSON.stringify(data)}`) });
  const reports = async (name: string): Promise<unknown[]> => {
    const seen: unknown[] = [];
    await client.callTool(name, {}, { onProgress: ({ progress, message }) => void seen.push([progress, message]) });
    return seen;
  };
  assert.deepEqual(await reports('outer'), [[1, undefined]]);
  assert.deepEqual(await reports('again'), []);
  assert.deepEqual(logged.splice(0), ['inner info "from inside"', 'inner info "from inside"']);
  assert.deepEqual(await reports('parts'), [[1, 'one'], [2, '[2]']]);
  assert.deepEqual(await reports('both'), [[5, undefined]], 'a tool that reports progress of its own has its parts logged');
  assert.deepEqual(logged, ['both info "one"']);
});

for (const revision of ['2025-11-25', '2026-07-28']) {
  test(`executables: a step of a pipeline asks, and a question is no missing reference, ${revision}`, { skip: unix }, async (t) => {
    const folder = toolFolder(t);
    folder.add('asks', script({ name: 'asks' }, 'case "$line" in *accept*) echo \'{"result": {"said": "yes"}}\';; *) echo \'{"ask": {"message": "Sure?"}}\';; esac'));
    folder.add('says', script({ name: 'says', parameters: { properties: { text: { type: 'string' } } } }, 'echo "{\\"result\\": $(printf %s "$line" | sed \'s/.*"params"://; s/}$//\')}"'));
    writeFileSync(join(folder.path, 'pipeline.json'), JSON.stringify([
      { name: 'chain', steps: [{ tool: 'asks' }, { tool: 'says', params: { text: '$last.said' } }] },
      { name: 'lost', steps: [{ tool: 'asks' }, { tool: 'says', params: { text: '$last.none' } }] },
      { name: 'judged', steps: [{ tool: 'says', params: { text: 5 } }] },
      { name: 'nobody', steps: [{ tool: 'gone' }] },
    ]));
    const asked: string[] = [];
    const { call } = await serve(t, folder, {}, { onElicit: ({ message }) => {
      asked.push(message);
      return { action: 'accept', content: {} };
    } }, revision);
    assert.equal(await call('chain'), '{"text":"yes"}');
    assert.deepEqual(asked, ['Sure?']);
    assert.equal(await call('lost'), '!there is no $last.none (reference)');
    assert.match(await call('judged'), /^!step 0 \(says\): params\.text: .*\(invalid_params\)$/);
    assert.equal(await call('nobody'), '!step 0 (gone): there is no tool "gone" (unknown_tool)');
  });
}

test('executables: a tool that ends or is ended while it waits for an answer', { skip: unix }, async (t) => {
  const folder = toolFolder(t);
  folder.add('leaves', script({ name: 'leaves', stdin: 'open' }, 'echo \'{"ask": {"message": "Still there?"}}\'; exit 0'));
  folder.add('nags', script({ name: 'nags', stdin: 'open' }, 'while echo \'{"ask": {"message": "Again?"}}\'; do read -r got || exit 0; done'));
  folder.add('loads', '#!/no/such/interpreter\n');
  folder.add('text', 'no program at all\n');
  const { call, problems } = await serve(t, folder, { limits: { maxRunsPerCall: 2 } }, { onElicit: () => ({ action: 'decline' }) });
  assert.equal(await call('leaves'), '!leaves ended without waiting for its answer');
  assert.equal(await call('nags'), '!nags asked too often');
  assert.match(problems.get('loads') ?? '', /^with --schema it (exited with code 127|could not be started)/);
  assert.match(problems.get('text') ?? '', /^with --schema it /);
});

test('executables: a file that becomes something else, two tools of one name, and a folder with too many', { skip: unix }, async (t) => {
  const folder = toolFolder(t);
  folder.add('a', script({ name: 'same', description: 'first' }, 'echo \'{"result": "a"}\''));
  folder.add('b', script({ name: 'same' }, 'echo \'{"result": "b"}\''));
  folder.add('c', script({ name: 'third' }, 'echo \'{"result": "c"}\''));
  const { call, tools, problems, client } = await serve(t, folder, { limits: { maxExecutables: 2 } });
  assert.deepEqual([...tools.tools], ['same']);
  assert.deepEqual([...problems], [[folder.path, 'only the first 2 executables are served'], ['b', 'another tool is called same']]);
  assert.equal(await call('same'), 'a');
  // The file is replaced between two scans of the folder: it is described again before it runs.
  folder.add('a', script({ name: 'same', description: 'second' }, 'echo \'{"result": "new"}\''));
  assert.equal(await call('same'), 'new');
  assert.equal((await client.listTools())[0]?.description, 'second');
  folder.add('a', script({ name: 'other' }, 'echo \'{"result": "a"}\''));
  assert.equal(await call('same'), '!same is no longer in the folder');
  await tools.refresh();
  assert.deepEqual([...tools.tools].sort(), ['other']);
});

test('executables: control groups that a process of the same number has left stop no run', { skip: unix }, async (t) => {
  const left: string[] = [];
  t.after(() => left.forEach((path) => rmdirSync(path)));
  try {
    for (let n = 2; n <= 40; n++) {
      const path = `/sys/fs/cgroup/pids/barewire-${process.pid}-${n}`;
      mkdirSync(path);
      left.push(path);
    }
  } catch {
    return t.skip('no such groups can be made here');
  }
  const folder = toolFolder(t);
  folder.add('a', script({ name: 'a' }, 'echo \'{"result": "a"}\''));
  const { call, problems, tools } = await serve(t, folder);
  if (!tools.confinement.includes('cgroup')) return t.skip('runs have no control groups here');
  assert.deepEqual([[...problems], await call('a')], [[], 'a']);
});
