import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpServer } from '../../src/server/index.ts';
import { skills } from '../../src/skills/index.ts';
import { serveHttp } from '../../src/transport/http/node/index.ts';
import { inProcess } from './in-process.ts';

test('list TARGET skills: a table, one whole, as JSON; read shows a SKILL.md', async (t) => {
  const server = new McpServer({ name: 'shop', version: '1' });
  await skills(server, [{ path: 'billing/refunds', files: { 'SKILL.md': '---\nname: refunds\ndescription: "How we \\e[31mrefund"\n---\nAsk first.\n', 'mail.md': 'Dear' } }]);
  const http = await serveHttp(server);
  t.after(() => http.close({ drainMs: 0 }));
  const on = async (...words: string[]): Promise<string> => {
    const { code, out, err } = await inProcess(words);
    assert.equal(code, 0, err);
    return out;
  };
  const table = await on('list', http.url, 'skills');
  assert.match(table, /Skills \(1\)\n(?:.*\n){2}skill:\/\/billing\/refunds\/SKILL\.md +2 +How we /);
  // A server's text must not control the terminal.
  assert.ok(!table.includes('\u001b'));
  assert.match(await on('list', http.url, 'skills', 'refunds'), /sha256:[\da-f]{64}/);
  const { skills: listed, tools } = JSON.parse(await on('list', '--json', http.url)) as { skills: { uri: string }[]; tools: unknown[] };
  assert.deepEqual([listed.map(({ uri }) => uri), tools], [['skill://billing/refunds/SKILL.md'], []]);
  assert.match(await on('read', http.url, 'skill://billing/refunds/SKILL.md'), /Ask first\./);
});
