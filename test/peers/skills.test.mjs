// barewire and the official SDK (`./ext/skills`) serve skills to each other: both roles, both eras.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer as OfficialServer } from '@modelcontextprotocol/server';
import { loadSkills } from '@modelcontextprotocol/server/ext/skills/node';
import { createServer } from 'node:http';
import { McpClient } from '../../dist/src/client/index.js';
import { McpServer } from '../../dist/src/server/index.js';
import { listSkills, readSkill, readSkillFile, skills } from '../../dist/src/skills/index.js';
import { readSkills } from '../../dist/src/skills/node/index.js';
import { httpTransport } from '../../dist/src/transport/http/fetch/index.js';
import { serveHttp } from '../../dist/src/transport/http/node/index.js';

/** A folder of two skills. */
function folder(t) {
  const path = mkdtempSync(join(tmpdir(), 'barewire-skills-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  const files = {
    'refunds/SKILL.md': '---\nname: refunds\ndescription: >-\n  How an order\n  is refunded\nlicense: MIT\nmetadata:\n  version: "1.0"\n---\n\nSee mail.md.\n',
    'refunds/templates/a mail.md': 'Dear …\n', 'refunds/x.bin': new Uint8Array([0, 255]),
    'pdf/SKILL.md': '---\nname: pdf\ndescription: "PDF: reads and fills"\nallowed-tools: Read Bash(python3:*)\n---\n\n# PDF\n',
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(path, name, '..'), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  return path;
}

test('a client of the official SDK reads and verifies skills of barewire', async (t) => {
  const server = new McpServer({ name: 's', version: '1' });
  const served = await skills(server, await readSkills(folder(t)));
  const http = await serveHttp(server);
  t.after(() => http.close({ drainMs: 0 }));
  const client = new Client({ name: 'official', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(http.url)));
  t.after(() => client.close());
  const reader = new SkillsClient(client);
  assert.ok(reader.supported && reader.directoryRead);
  const { skills: listed } = await reader.list();
  assert.deepEqual(JSON.parse(JSON.stringify(listed)), JSON.parse(JSON.stringify(served.entries)));
  for (const skill of listed) {
    assert.ok((await reader.read(skill)).verified);
    for (const { uri } of skill.resources) assert.ok((await reader.read(skill, uri)).verified, uri);
  }
  const { resources } = await reader.readDirectory('skill://refunds');
  assert.deepEqual(resources.map(({ name }) => name).sort(), ['refunds', 'templates', 'x.bin']);
});

for (const revision of ['2025-11-25', '2026-07-28']) {
  test(`barewire reads and verifies skills of the official SDK, ${revision}`, async (t) => {
    const catalog = await loadSkills(folder(t));
    const handler = createMcpHandler(() => {
      const server = new OfficialServer({ name: 'official', version: '1' });
      catalog.attach(server);
      return server;
    });
    const http = createServer(toNodeHandler(handler)).listen(0, '127.0.0.1');
    await new Promise((resolve) => http.once('listening', resolve));
    t.after(() => http.close());
    const client = new McpClient({ name: 'barewire', version: '1' }, { revisions: [revision] });
    await client.connect(httpTransport(`http://127.0.0.1:${http.address().port}/`));
    t.after(() => client.close());
    const { skills: listed, faults } = await listSkills(client);
    assert.deepEqual(faults, []);
    assert.deepEqual(listed.map(({ uri }) => uri).sort(), ['skill://pdf/SKILL.md', 'skill://refunds/SKILL.md']);
    for (const skill of listed) {
      assert.ok((await readSkill(client, skill)).body.length > 0);
      for (const { uri, size } of skill.resources) assert.equal((await readSkillFile(client, skill, uri)).bytes.length, size);
    }
  });
}
