// Next to the form of a tool: saved calls, the comparison of revisions, portability; and its arguments as JSON.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { ActionMessage, HostMessage } from '../../src/messages.ts';
import { launch, openFake, violationsOf } from './browser.ts';
import { callView, catalogueView, memory, serverView, toolView, welcome, wireMessage } from './views.ts';

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const login = toolView('login', { required: ['user'], properties: { user: { type: 'string' }, password: { type: 'string' }, n: { type: 'number' } } });
const saved = {
  path: '/repo/servers.calls.json',
  calls: [{ server: 'one', tool: 'login', name: 'of a <b>colleague</b>', args: '{"user":"bob","n":1.10,"password":"x"}', own: false }, { server: 'one', tool: 'login', name: 'mine', args: '{"user":"ada"}', own: true }, { server: 'one', tool: 'other', name: 'elsewhere', args: '{}', own: false }],
};
const all = welcome({ servers: [serverView('one')], catalogues: [catalogueView('one', { tools: [login] })], saved });

async function open(message: HostMessage = all): Promise<{ page: Page; end: () => Promise<void> }> {
  const { page, faults, close } = await openFake(browser);
  await page.evaluate((one) => window.fake.say(one), message);
  await page.getByRole('tab', { name: 'Tools' }).click();
  await page.getByRole('heading', { name: 'login' }).waitFor();
  return { page, end: async () => { assert.deepEqual(faults, []); await close(); } };
}
const asked = async (page: Page): Promise<{ name: string; params: unknown }[]> => (await page.evaluate(() => window.fake.asked)).filter((one): one is ActionMessage => one.type === 'action').map(({ name, params }) => ({ name, params }));
const calm = async (page: Page, inside: string): Promise<void> => {
  assert.deepEqual((await violationsOf(page, inside)).map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
};

test('a call, a reading and a prompt that the host refuses are told as notices, which leave when the next one is accepted', async () => {
  const { page, end } = await open(welcome({
    servers: [serverView('one')], catalogues: [catalogueView('one', { tools: [toolView('login', {})], resources: [{ uri: 'a://b', name: 'a resource' }], prompts: [{ name: 'ask' }] })],
    calls: [callView(1, { about: { kind: 'tool', name: 'login', args: {} }, wire: 1 })],
  }));
  const notices = page.getByRole('log', { name: 'Notices' });
  for (const [tab, button] of [['Tools', 'Call'], ['Tools', 'Call again'], ['Resources', 'Read'], ['Prompts', 'Get']] as const) {
    await page.getByRole('tab', { name: tab }).click();
    await page.evaluate(() => { window.fake.failNext = { code: 'no-such-server', message: 'there is no server one' }; });
    await page.getByRole('main').getByRole('button', { name: button, exact: true }).click();
    await notices.getByText('there is no server one').waitFor();
    await page.getByRole('main').getByRole('button', { name: button, exact: true }).click();
    await notices.getByText('there is no server one').waitFor({ state: 'detached' });
  }
  await end();
});

test('a call is kept under a name without what is masked, used again, and marked where it is from the file', async () => {
  const { page, end } = await open();
  const main = page.getByRole('main');
  const list = main.getByRole('region', { name: 'Saved calls' });
  await list.getByRole('button', { name: 'mine', exact: true }).waitFor();
  assert.equal(await list.getByText('elsewhere').count(), 0);
  await list.getByRole('button', { name: 'of a <b>colleague</b>', exact: true }).click();
  await main.getByText('These arguments came with a file.').waitFor();
  assert.deepEqual([await main.getByLabel('user').inputValue(), await main.getByLabel('n', { exact: true }).inputValue(), await main.getByLabel('password').inputValue()], ['bob', '1.10', '']);
  await list.getByRole('button', { name: 'mine', exact: true }).click();
  await main.getByText('These arguments came with a file.').waitFor({ state: 'detached' });
  await main.getByLabel('n', { exact: true }).fill('9007199254740993');
  await main.getByLabel('password').fill('hunter2');
  await list.getByLabel('Name of the call').fill('mine');
  await list.getByRole('button', { name: 'Replace this call' }).waitFor();
  await list.getByLabel('Name of the call').fill('large');
  await list.getByRole('button', { name: 'Save this call' }).click();
  await list.getByRole('button', { name: 'Remove the call mine' }).click();
  await page.waitForFunction(() => window.fake.asked.length === 2);
  assert.deepEqual(await asked(page), [
    { name: 'saved.save', params: { server: 'one', tool: 'login', name: 'large', args: '{"user":"ada","n":9007199254740993}' } },
    { name: 'saved.remove', params: { server: 'one', tool: 'login', name: 'mine' } },
  ]);
  await calm(page, 'main');
  await end();
});

test('one call in two revisions: the verdict and what differs first, then what passed in two columns; the server is as before', async () => {
  const start = 1_790_000_000_000;
  const entries = [
    wireMessage(1, { at: start, method: 'tools/call', rpcId: '1', sentence: 'The client calls in the legacy era' }),
    wireMessage(2, { direction: 'received', shape: 'result', method: 'tools/call', rpcId: '1', answers: 1, at: start + 10, ms: 10, text: '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}', sentence: 'The server answers' }),
    wireMessage(3, { at: start + 20, method: 'tools/call', rpcId: '2', sentence: 'The client calls in the modern era' }),
    wireMessage(4, { direction: 'received', shape: 'result', method: 'tools/call', rpcId: '2', answers: 3, at: start + 68, ms: 48, text: '{"jsonrpc":"2.0","id":2,"result":{"content":[],"resultType":"complete"}}', sentence: 'The server answers' }),
  ];
  const { page, end } = await open({ ...all, wire: entries, memory: { ...memory, entries: 4 } } as HostMessage);
  const main = page.getByRole('main');
  await main.getByLabel('user').fill('ada');
  await page.evaluate(([one, other]) => {
    const replies = { 'server.reconnect': [{ revision: '2025-11-25' }, { revision: '2026-07-28' }, { revision: '2026-07-28' }], 'tool.call': [one, other] };
    for (const [name, list] of Object.entries(replies)) Object.defineProperty(window.fake.replies, name, { get: () => list.shift() });
  }, [callView(1, { wire: 1 }), callView(2, { wire: 3 })]);
  await main.getByText('Compare revisions', { exact: true }).click();
  await main.getByRole('button', { name: 'Call in two revisions' }).click();
  const [legacy, modern] = [main.getByRole('region', { name: 'legacy era' }), main.getByRole('region', { name: 'modern era' })];
  await modern.getByText('The client calls in the modern era').waitFor();
  assert.match(await legacy.innerText(), /2025-11-25[\s\S]*2 messages, 10 ms\n[\s\S]*The client calls in the legacy era/);
  assert.match(await modern.innerText(), /2026-07-28[\s\S]*2 messages, 48 ms\n/);
  const verdict = main.getByRole('region', { name: 'What differs in the answers' });
  assert.match(await verdict.innerText(), /^Both revisions give the same result\. The messages that carry them differ in 1 place, ids left out:[\s\S]*resultType/);
  assert.ok(!(await verdict.innerText()).includes('"id"'));
  assert.ok(await verdict.evaluate((one) => (one.compareDocumentPosition(document.querySelector('.era') ?? one) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0), 'it stands before the columns');
  await main.getByRole('button', { name: 'Call in two revisions' }).and(main.locator(':enabled')).waitFor();
  assert.deepEqual((await asked(page)).map(({ name, params }) => [name, (params as { era?: string }).era]), [
    ['server.reconnect', 'legacy'], ['tool.call', undefined], ['server.reconnect', 'modern'], ['tool.call', undefined], ['server.reconnect', 'auto'],
  ]);
  await calm(page, 'main');
  await end();
});

test('a tool says whether others take its schema', async () => {
  const odd = { ...toolView('odd.name', { anyOf: [{ required: ['a'] }] }), name: 'one/odd.name' };
  const { page, end } = await open({ ...all, catalogues: [catalogueView('one', { tools: [login, odd] })] } as HostMessage);
  const main = page.getByRole('main');
  await main.getByText('Name and schema are portable').waitFor();
  await main.getByRole('button', { name: 'odd.name' }).click();
  const notes = main.getByRole('list', { name: 'Portability' });
  assert.match(await notes.innerText(), /odd\.name[\s\S]*anyOf at the top/);
  await calm(page, 'main');
  await end();
});

test('arguments as JSON have colours, keep their digits, say what is wrong, and are called with Ctrl+Enter', async () => {
  const { page, end } = await open();
  const main = page.getByRole('main');
  await main.getByRole('button', { name: 'JSON', exact: true }).click();
  const editor = main.getByRole('textbox', { name: 'Arguments of login as JSON' });
  await editor.fill('{"user": "ada?", "n": 1.10');
  await page.waitForFunction(() => document.querySelector('.json-editor')?.shadowRoot?.querySelector('.cm-content')?.getAttribute('aria-invalid') === 'true');
  await editor.press('End');
  await page.keyboard.type('}');
  await page.waitForFunction(() => document.querySelector('.json-editor')?.shadowRoot?.querySelector('.cm-content')?.getAttribute('aria-invalid') === 'false');
  const colours = await page.evaluate(() => [...document.querySelector('.json-editor')?.shadowRoot?.querySelectorAll('.cm-line span') ?? []].map((one) => getComputedStyle(one).color));
  assert.ok(new Set(colours).size >= 3, colours.join());
  await page.keyboard.press('?');
  await page.keyboard.press('Backspace');
  assert.equal(await page.getByRole('dialog').count(), 0, 'a question mark is typed, and does not open the keys');
  await calm(page, 'main');
  await page.keyboard.press('Control+Enter');
  await page.waitForFunction(() => window.fake.asked.length === 1);
  assert.deepEqual((await asked(page))[0]?.params, { server: 'one', name: 'login', digest: 'digest of login', args: { user: 'ada?', n: 1.1 }, lexemes: { '/n': '1.10' } });
  // Tab leaves the editor.
  await editor.focus();
  await page.keyboard.press('Tab');
  assert.notEqual(await page.evaluate(() => document.activeElement?.className), 'json-editor');
  await end();
});

test('servers of another application are shown with their files before they are added', async () => {
  const { page, faults, close } = await openFake(browser);
  const one = welcome({});
  if (one.type === 'welcome') await page.evaluate((message) => window.fake.say(message), { ...one, features: { ...one.features, imports: ['cursor', 'vscode'] } });
  await page.evaluate(() => {
    window.fake.replies['import.look'] = { paths: ['/home/ada/.cursor/mcp.json'], entries: [{ name: 'one', target: { kind: 'program', command: 'x', args: [], cwd: null, env: [] }, taken: true }, { name: 'files', target: { kind: 'program', command: 'npx', args: ['files'], cwd: null, env: ['TOKEN'] }, taken: false }] };
  });
  await page.getByRole('button', { name: 'Import servers' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import servers' });
  assert.ok(await dialog.getByRole('button', { name: /^Add/ }).isDisabled());
  await dialog.getByRole('button', { name: 'cursor' }).click();
  await dialog.getByText('/home/ada/.cursor/mcp.json').waitFor();
  assert.ok(await dialog.getByLabel('one').isDisabled());
  assert.match(await dialog.innerText(), /npx files environment: TOKEN/);
  await calm(page, 'dialog');
  await dialog.getByRole('button', { name: 'Add 1 server' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.deepEqual(await asked(page), [{ name: 'import.look', params: { from: 'cursor' } }, { name: 'import.add', params: { from: 'cursor', names: ['files'] } }]);
  assert.deepEqual(faults, []);
  await close();
});
