// Navigation: the filter of the wire, keys, Ctrl+K, the address, and a dropped file.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { ActionMessage } from '../../src/messages.ts';
import { launch, openFake, violationsOf } from './browser.ts';
import { scene } from './scene.ts';
import { callView, catalogueView, serverView, toolView, welcome, wireMessage } from './views.ts';

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const rows = (page: Page, ...seqs: number[]): Promise<unknown> =>
  page.waitForFunction((want) => [...document.querySelectorAll('.wire-row')].map(({ id }) => id).join() === want, seqs.map((seq) => `wire-${seq}`).join());
const calm = async (page: Page, what: string, inside = 'body'): Promise<void> => {
  assert.deepEqual((await violationsOf(page, inside)).map(({ id, nodes }) => `${what}: ${id} ${nodes[0]?.html ?? ''}`), []);
};

test('the chosen server is the filter; a question narrows it, completes, is kept, and says what is wrong with it', async () => {
  const { page, faults, close } = await openFake(browser);
  await page.evaluate((message) => window.fake.say(message), scene());
  const search = page.getByLabel('Search the wire');
  await rows(page, 1, 2, 4, 8, 10, 12, 16);
  await page.getByRole('navigation', { name: 'Servers' }).getByRole('button', { name: /^everything/ }).click();
  await rows(page, 6, 14);
  await page.getByLabel('Server on the wire').selectOption('every server');
  await search.fill('method == ');
  await page.locator('datalist option[value="method == tools/call"]').waitFor({ state: 'attached' });
  await search.fill('method == tools/call && ms > 100');
  await rows(page, 8, 12);
  await page.getByRole('button', { name: 'Keep this filter' }).click();
  await search.fill('ms > 100 && (');
  await page.getByText('Something is missing at the end.').waitFor();
  assert.equal(await search.getAttribute('aria-invalid'), 'true');
  await calm(page, 'a filter that cannot be read', '.dock');
  await page.getByRole('button', { name: 'First error' }).click();
  await page.locator('#wire-11[aria-selected="true"]').waitFor();
  await page.getByRole('button', { name: 'Lift the filter' }).click();
  await page.locator('datalist option[value="method == tools/call && ms > 100"]').waitFor({ state: 'attached' });
  assert.deepEqual(faults, []);
  await close();
});

test('Ctrl+K goes to a server, a tool, a resource and a message; ? shows the keys, but not while one writes', async () => {
  const { page, faults, close } = await openFake(browser);
  await page.evaluate((message) => window.fake.say(message), scene());
  const go = async (words: string, expected: RegExp): Promise<void> => {
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: /^Servers, tools/ });
    await field.fill(words);
    const first = page.getByRole('option', { name: expected }).first();
    await first.waitFor();
    if (words === 'calendar') await calm(page, 'Ctrl+K', 'dialog');
    await page.keyboard.press('Enter');
    await field.waitFor({ state: 'detached' });
  };
  await go('book', /tool Book a trip/);
  await page.getByRole('heading', { name: /^Book a trip/ }).waitFor();
  assert.equal(await page.title(), 'book_trip · travel · barewire');
  await go('calendar', /resource Travel calendar/);
  await page.getByRole('heading', { name: 'Travel calendar' }).waitFor();
  await go('notes', /server notes/);
  await page.getByText('no such file notes.db').waitFor();
  await go('echo calls', /message tools\/call/);
  await page.getByRole('region', { name: 'Message' }).getByText('The client calls the tool "echo"').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Servers, tools/ }).fill('no such thing at all');
  await page.getByText('Nothing has this name.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByLabel('Search the wire').fill('');
  await page.keyboard.type('?');
  assert.equal(await page.getByLabel('Search the wire').inputValue(), '?');
  await page.getByRole('listbox', { name: 'Messages' }).focus();
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keys' });
  await keys.getByText('the next error').waitFor();
  await calm(page, 'keys', 'dialog');
  await keys.getByRole('button', { name: 'Close' }).click();
  await keys.waitFor({ state: 'detached' });
  assert.deepEqual(faults, []);
  await close();
});

const login = toolView('login', { properties: { user: { type: 'string' }, password: { type: 'string' }, n: { type: 'number' } } });
const message = welcome({ servers: [serverView('zoo'), serverView('two')], catalogues: [catalogueView('zoo', { tools: [toolView('other', {}), login] })], wire: [wireMessage(1, { server: 'two' }), wireMessage(2, { server: 'zoo' })] });
const askedFor = (page: Page): Promise<readonly ActionMessage[]> =>
  page.evaluate(() => window.fake.asked.filter((one): one is ActionMessage => one.type === 'action' && one.name !== 'server.connect'));

test('an address shows its place, with arguments that are marked and not sent; the first call with them says where they are from', async () => {
  const { page, faults, close } = await openFake(browser);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(() => { location.hash = `#/zoo/tools/login?${new URLSearchParams({ args: '{"user":"ada","password":"secret","n":1.10}' }).toString()}`; });
  await page.evaluate((one) => window.fake.say(one), message);
  const main = page.getByRole('main');
  await main.getByText('These arguments came with a link.').waitFor();
  assert.equal(await main.getByLabel('user').inputValue(), 'ada');
  assert.equal(await main.getByLabel('password').inputValue(), '', 'what is masked is taken from no link');
  assert.equal(await page.evaluate(() => location.hash), '#/zoo/tools/login', 'the arguments do not stay in the address');
  assert.deepEqual(await askedFor(page), [], 'nothing was sent');
  await calm(page, 'arguments from a link', 'main');
  await main.getByLabel('password').fill('mine');
  await main.getByRole('button', { name: 'Copy link' }).click();
  await main.getByText('Copied').waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(new URLSearchParams(link.split('?')[1]).get('args'), '{"user":"ada","n":1.10}');
  await page.evaluate((reply) => { window.fake.replies['tool.call'] = reply; }, callView(1, { server: 'zoo', wire: 2 }));
  await main.getByRole('button', { name: 'Call', exact: true }).click();
  await main.getByText('These arguments came with a link.').waitFor({ state: 'detached' });
  await main.getByRole('button', { name: 'Call', exact: true }).click();
  await page.waitForFunction(() => window.fake.asked.length === 2);
  const origins = (await askedFor(page)).map((one) => (one.name === 'tool.call' ? one.params.origin : one.name));
  assert.deepEqual(origins, ['link', undefined]);
  assert.deepEqual(faults, []);
  await close();
});

test('the back button goes back, a reload finds the place again, and an address adds nothing that is not here', async () => {
  const { page, faults, close } = await openFake(browser);
  await page.evaluate((one) => window.fake.say(one), message);
  const main = page.getByRole('main');
  await page.getByRole('tab', { name: 'Tools' }).click();
  await main.getByRole('button', { name: 'login' }).click();
  await main.getByRole('heading', { name: 'login' }).waitFor();
  await page.getByRole('navigation', { name: 'Servers' }).getByRole('button', { name: /^two/ }).click();
  await page.waitForFunction(() => location.hash === '#/two/tools');
  await page.goBack();
  await main.getByRole('heading', { name: 'login' }).waitFor();
  assert.equal(await page.title(), 'login · zoo · barewire');
  await page.reload();
  await page.waitForFunction(() => window.fake?.opened > 0);
  await page.evaluate((one) => window.fake.say(one), message);
  await main.getByRole('heading', { name: 'login' }).waitFor();
  await page.evaluate(() => { location.hash = '#/wire/1'; });
  await page.getByRole('region', { name: 'Message' }).waitFor();
  await page.locator('#wire-1[aria-selected="true"]').waitFor();
  await page.evaluate(() => { location.hash = '#/evil/tools/run?args=%7B%7D'; });
  await page.getByText('which does not exist').waitFor();
  await page.evaluate(() => { location.hash = '#/zoo/tools/login?args=not%20json'; });
  await page.getByText('The arguments in the address cannot be read').waitFor();
  assert.deepEqual(await askedFor(page), []);
  assert.deepEqual(faults, []);
  await close();
});

test('a transcript that is dropped is shown as a wire that nothing can be sent to; what is shared shows first what was redacted', async () => {
  const { page, faults, close } = await openFake(browser);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate((one) => window.fake.say(one), message);
  const drop = (name: string, size: number): Promise<void> => page.evaluate(([title, length]) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['--> {}'.padEnd(length)], title));
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  }, [name, size] as const);
  await drop('large.wire', 9 * 1024 * 1024);
  await page.getByText('large.wire: a transcript may have 8 MiB.').waitFor();
  assert.deepEqual(await askedFor(page), []);
  await page.evaluate(() => {
    Object.assign(window.fake.replies, { 'record.load': { id: 'r1' }, 'wire.open': { server: 'file a.wire', messages: 1 }, 'wire.share': { text: '--> {"password":"[redacted]"}', messages: 1, redacted: [{ seq: 3, path: '/password', why: 'its name says that it is secret' }] } });
  });
  await drop('a.wire', 6);
  await page.waitForFunction(() => window.fake.asked.length === 2);
  assert.deepEqual((await askedFor(page)).map(({ name, params }) => [name, params]), [['record.load', { title: 'a.wire', text: '--> {}' }], ['wire.open', { id: 'r1' }]]);
  const call = JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'login', arguments: { user: 'ada' } } });
  await page.evaluate((entries) => window.fake.say({ type: 'wire', entries, memory: { entries: 4, bytes: 400, maxEntries: 1000, maxBytes: 100_000, droppedEntries: 0, droppedBytes: 0 } }),
    [wireMessage(3, { server: 'file a.wire', origin: 'file', method: 'tools/call', text: call }), wireMessage(4, { server: 'zoo', method: 'tools/call', text: call })]);
  await rows(page, 3);
  await page.locator('#wire-3', { hasText: 'file' }).click();
  const detail = page.getByRole('region', { name: 'Message' });
  await detail.getByRole('button', { name: 'Mark to compare' }).waitFor();
  assert.equal(await detail.getByRole('button', { name: /Edit and send|Copy as barewire/ }).count(), 0, 'there is no server to send it to');
  await page.getByRole('button', { name: 'Share' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share the wire of file a.wire' });
  await dialog.getByText('1 place was redacted:').waitFor();
  await dialog.getByText('1 message goes along, 29 characters').waitFor();
  assert.equal(await dialog.getByRole('radio').count(), 0, 'no call failed, so the wire is all there is to share');
  assert.match(await dialog.innerText(), /message 3 \/password[\s\S]*--> \{"password":"\[redacted\]"\}/);
  await calm(page, 'what is shared', 'dialog');
  await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
  await dialog.getByText('Copied').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByLabel('Server on the wire').selectOption('every server');
  await page.locator('#wire-4').click();
  await detail.getByRole('button', { name: 'Copy as barewire call' }).click();
  await detail.getByText('Copied').waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `barewire call zoo login '{"user":"ada"}'`);
  await detail.getByRole('button', { name: 'Copy as TypeScript' }).click();
  await page.waitForFunction(async () => (await navigator.clipboard.readText()).includes('client.callTool("login", {"user":"ada"})'));
  assert.deepEqual(faults, []);
  await close();
});

test('a call is made again, and its arguments are used again, but not those of a call that was refused', async () => {
  const { page, faults, close } = await openFake(browser);
  const about = { kind: 'tool', name: 'login', args: { user: 'ada', n: 1.1 }, lexemes: { '/n': '1.10' } } as const;
  await page.evaluate((one) => window.fake.say(one), message);
  await page.evaluate((calls) => { for (const call of calls) window.fake.say({ type: 'call', call }); }, [
    callView(1, { server: 'zoo', about, wire: 1 }), callView(2, { server: 'zoo', about, state: 'refused', result: null, failure: { code: 'refused', message: 'no' } }),
  ]);
  await page.evaluate(() => { location.hash = '#/zoo/tools/login'; });
  const refused = page.getByRole('article', { name: 'Call 2' });
  await refused.waitFor();
  assert.equal(await refused.getByRole('button', { name: /Call again|Use these/ }).count(), 0);
  const done = page.getByRole('article', { name: 'Call 1' });
  await done.getByRole('button', { name: 'Use these arguments' }).click();
  assert.equal(await page.getByRole('main').getByLabel('user').inputValue(), 'ada');
  assert.equal(await page.getByRole('main').getByLabel('n', { exact: true }).inputValue(), '1.10');
  await done.getByRole('button', { name: 'Call again' }).click();
  await page.waitForFunction(() => window.fake.asked.length === 1);
  assert.deepEqual((await askedFor(page)).map(({ params }) => params), [{ server: 'zoo', name: 'login', digest: 'digest of login', args: about.args, lexemes: about.lexemes }]);
  assert.deepEqual(faults, []);
  await close();
});

test('without a server three examples fill the form in and start nothing; a server that was typed in is kept once the difference was shown', async () => {
  const { page, faults, close } = await openFake(browser);
  await page.evaluate((one) => window.fake.say(one), welcome({ servers: [] }));
  await page.getByRole('button', { name: /server-everything/ }).click();
  const adding = page.getByRole('dialog', { name: 'Add a server' });
  assert.equal(await adding.getByLabel('Command').inputValue(), 'npx -y @modelcontextprotocol/server-everything');
  await calm(page, 'an example', 'dialog');
  await adding.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: /127\.0\.0\.1:3000/ }).click();
  assert.equal(await adding.getByLabel('URL').inputValue(), 'http://127.0.0.1:3000/mcp');
  await adding.getByRole('button', { name: 'Cancel' }).click();
  assert.deepEqual(await askedFor(page), []);
  await page.evaluate((server) => {
    window.fake.replies['server.saving'] = { path: '/home/ada/servers.json', before: '{}', after: '{"mcpServers":{"mine":{"command":"node"}}}' };
    window.fake.say({ type: 'server', server });
  }, serverView('mine', { source: 'typed' }));
  await page.getByRole('button', { name: 'Keep …' }).click();
  const keeping = page.getByRole('dialog', { name: 'Keep mine in the configuration' });
  await keeping.getByText('/home/ada/servers.json').waitFor();
  await keeping.locator('.added', { hasText: '"command": "node"' }).waitFor();
  assert.deepEqual((await askedFor(page)).map(({ name }) => name), ['server.saving']);
  await calm(page, 'what is kept', 'dialog');
  await keeping.getByRole('button', { name: 'Write it' }).click();
  await page.getByText('mine is kept in /home/ada/servers.json.').waitFor();
  assert.deepEqual((await askedFor(page)).at(-1)?.params, { server: 'mine', before: '{}' });
  assert.deepEqual(faults, []);
  await close();
});
