// Tests every example of this folder, and the page of examples/page in a real Chromium if there is one.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { McpClient } from 'barewire/client';
import { httpTransport } from 'barewire/http';
import { stdioTransport } from 'barewire/stdio';
import { chromium } from 'playwright-core';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Starts a program that prints its URL; `t` ends it. */
async function start(t, file) {
  const child = spawn(process.execPath, [at(file), '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill());
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) return line;
  throw new Error(`${file} ended`);
}

async function connected(t, transport, options) {
  const client = new McpClient({ name: 'examples', version: '1.0.0' }, options);
  t.after(() => client.close());
  await client.connect(transport);
  return client;
}

for (const framework of ['express', 'fastify', 'hono']) {
  for (const era of ['legacy', 'modern']) {
    test(`${framework}, ${era}`, async (t) => {
      const url = await start(t, `${framework}.mjs`);
      assert.match(await (await fetch(new URL('/', url))).text(), /Trips/);
      const client = await connected(t, httpTransport(url), { era });
      const heard = [];
      const { content } = await client.callTool('price', { city: 'Rome' }, { onProgress: ({ progress }) => heard.push(progress) });
      assert.deepEqual(content, [{ type: 'text', text: '120 euros' }]);
      assert.deepEqual(heard, [1, 2]);
    });
  }
}

for (const library of ['zod', 'valibot', 'arktype', 'typebox']) {
  test(library, async (t) => {
    const client = await connected(t, stdioTransport(process.execPath, [at(`${library}.mjs`)]));
    const [tool] = await client.listTools();
    assert.deepEqual(tool.inputSchema.required, ['city']);
    assert.equal(tool.outputSchema.properties.plan.items.type, 'string');
    assert.deepEqual((await client.callTool('plan', { city: 'Rome', days: 2 })).structuredContent, { plan: ['day 1 in Rome', 'day 2 in Rome'] });
    assert.deepEqual((await client.callTool('plan', { city: 'Oslo' })).structuredContent, { plan: ['day 1 in Oslo'] });
    const wrong = await client.callTool('plan', { city: 'R', days: 0 });
    assert.equal(wrong.isError, true);
    assert.match(wrong.content[0].text, /city/);
    assert.match(wrong.content[0].text, /days/);
  });
}

for (const era of ['legacy', 'modern']) {
  test(`QuickJS, ${era}`, async (t) => {
    const client = await connected(t, stdioTransport(process.execPath, [at('quickjs/host.mjs')]), { era });
    assert.deepEqual((await client.callTool('add', { a: 17, b: 25 })).content, [{ type: 'text', text: '42' }]);
    assert.equal((await client.callTool('add', { a: 17 })).isError, true);
  });
}

const browser = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => path && existsSync(path));

test('a page and its worker', browser ? {} : { skip: 'there is no Chromium' }, async (t) => {
  const url = await start(t, '../page/serve.mjs');
  const chrome = await chromium.launch({ executablePath: browser, args: ['--no-sandbox', '--headless', '--disable-gpu'] });
  t.after(() => chrome.close());
  const page = await chrome.newPage();
  const asked = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    void dialog.dismiss();
  });
  await page.goto(url);
  await page.getByText('ready').waitFor();
  const add = async (note, state) => {
    await page.getByPlaceholder('A note').fill(note);
    await page.getByRole('button').click();
    await page.getByText(state).waitFor();
  };
  await add('Buy bread', '1 notes');
  await page.getByRole('listitem').filter({ hasText: 'Buy bread' }).waitFor();
  await add('<b>Bake</b>', '2 notes');
  await page.getByRole('listitem').filter({ hasText: '<b>Bake</b>' }).waitFor();
  await add('Buy bread', 'Nothing added.');
  assert.deepEqual(asked, ['"Buy bread" is there already. Add it again?']);
  assert.equal(await page.getByRole('listitem').count(), 2);
  assert.equal((await fetch(new URL('../../package.json', url))).status, 404);
});
