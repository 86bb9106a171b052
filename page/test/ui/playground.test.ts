// playground.html, opened from a file, without a network: a whole tour.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { launch, openPage, packageRoot } from './browser.ts';

const address = pathToFileURL(`${packageRoot}dist/playground.html`).href;
let browser: Browser;
let page: Page;
let faults: string[];
const requests: string[] = [];
before(async () => {
  browser = await launch();
  ({ page, faults } = await openPage(browser, { offline: true }));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(address);
  await page.getByText('2026-07-28').first().waitFor();
});
after(() => browser.close());

const main = (): ReturnType<Page['getByRole']> => page.getByRole('main');
const field = (name: string): ReturnType<Page['getByLabel']> => main().getByLabel(name, { exact: true });
const tab = (name: string): Promise<void> => page.getByRole('tab', { name }).click();
const pick = (name: string): Promise<void> => main().getByRole('button', { name }).first().click();
/** Calls the tool. Resolves when the new call is shown, so that `newest` is this call. */
const call = async (): Promise<void> => {
  const shown = page.locator('article.call');
  const before = await shown.count();
  await main().getByRole('button', { name: 'Call', exact: true }).click();
  await shown.nth(before).waitFor();
};
const route = async (destination: string): Promise<void> => {
  await field('origin').fill('Berlin');
  await field('destination').fill(destination);
  await field('date').fill('2026-05-01');
};
/** The newest call. */
const newest = (): ReturnType<Page['locator']> => page.locator('article.call').first();

test('the server is shown with its revision, its instructions and its capabilities', async () => {
  const text = await main().innerText();
  assert.match(text, /Travel agency[\s\S]*2026-07-28\s*modern[\s\S]*Search before you book[\s\S]*tools/);
});

test('it opens on a first step, whose link leads to a tool', async () => {
  const step = main().getByText('First step:').locator('..');
  assert.match(await step.innerText(), /^First step: open .+, fill in the form, and press Call\./);
  await step.getByRole('link').click();
  await main().getByRole('button', { name: 'Call', exact: true }).waitFor();
});

test('a tool is called through its form, and answers as a table and as a tree', async () => {
  await tab('Tools');
  await pick('Search flights');
  await route('Lisbon');
  await call();
  await newest().getByText('done').waitFor();
  assert.equal(await page.getByRole('dialog').count(), 0, 'pressing Call was the consent');
  assert.ok(await newest().getByRole('cell').count() > 6);
  await newest().getByRole('button', { name: 'Tree' }).click();
  assert.match(await newest().innerText(), /flights:\s*\[/);
});

test('progress is a bar, several calls run at once, and one is cancelled', async () => {
  await pick('Search every airline');
  await route('Lisbon');
  await field('paceMs').fill('60000');
  await call();
  await newest().getByText(/Asking/).waitFor();
  await field('paceMs').fill('0');
  await call();
  await main().getByText('The cheapest:').waitFor();
  const slow = page.locator('article.call', { hasText: 'runs' });
  assert.equal(await slow.getByRole('progressbar').count(), 1);
  await slow.getByRole('button', { name: 'Cancel' }).click();
  await page.locator('article.call', { hasText: 'cancelled' }).waitFor();
});

test('a booking asks two questions; both answers arrive, and the new resource is listed and read', async () => {
  await pick('Book a trip');
  await field('destination').fill('Lisbon');
  await call();
  const dialog = page.getByRole('dialog', { name: 'The server wants to know' });
  await dialog.getByText('How would you like to fly to Lisbon?').waitFor();
  await dialog.getByLabel('Travellers').fill('0');
  await dialog.getByRole('button', { name: 'Accept' }).click();
  await dialog.getByText('0 is less than 1').waitFor();
  await dialog.getByLabel('Travellers').fill('2');
  await dialog.getByLabel('Seat').selectOption('aisle');
  await dialog.getByRole('button', { name: 'Accept' }).click();
  await dialog.getByText(/2 × aisle seat/).waitFor();
  await dialog.getByRole('button', { name: 'Accept' }).click();
  await newest().getByText(/Booked .* aisle seat/).waitFor();
  await newest().getByRole('button', { name: 'Read' }).click();
  await tab('Resources');
  await main().getByRole('button', { name: /Trip / }).click();
  await page.getByText('"seat": "aisle"').first().waitFor();
});

test('each other outcome of a question is told to the tool: decline, and Escape is cancel', async () => {
  await tab('Tools');
  await pick('Book a trip');
  for (const end of ['Decline', 'Escape']) {
    await field('destination').fill('Oslo');
    await call();
    const dialog = page.getByRole('dialog', { name: 'The server wants to know' });
    await dialog.waitFor();
    if (end === 'Escape') await page.keyboard.press('Escape');
    else await dialog.getByRole('button', { name: end }).click();
    await dialog.waitFor({ state: 'detached' });
    await newest().getByText('Nothing booked.').waitFor();
  }
});

test('a tool that says it destroys is asked about, with its exact arguments', async () => {
  await pick('Cancel a trip');
  for (const box of await main().locator('.form input[type=text]').all()) await box.fill('BW-000001');
  await call();
  const dialog = page.getByRole('dialog', { name: /^Run / });
  assert.match(await dialog.innerText(), /barewire asks before travel is called[\s\S]*may destroy[\s\S]*"BW-000001"/);
  await dialog.getByRole('button', { name: 'Always' }).click();
  await newest().getByText(/done|tool error/).first().waitFor();
});

test('an address to visit shows its host and waits for the person', async () => {
  await pick('visa');
  for (const box of await main().locator('.form input[type=text]').all()) if (await box.inputValue() === '') await box.fill('Brazil');
  await call();
  const dialog = page.getByRole('dialog', { name: 'The server wants you to visit a page' });
  await dialog.waitFor();
  assert.match(await dialog.locator('.host-name').innerText(), /\./);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await newest().locator('.badge.good, .badge.bad').first().waitFor();
});

test('sampling is answered by hand, and its answer is shown before it is sent', async () => {
  await pick('Pick the best flight');
  await route('Lisbon');
  await call();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The server wants a model to be asked').waitFor();
  await dialog.getByLabel('Your answer').fill('1. It is cheap');
  await dialog.getByRole('button', { name: 'Look at the answer' }).click();
  await dialog.getByText('This answer goes to the server').waitFor();
  await dialog.getByLabel('The answer').fill('2. It is early');
  await dialog.getByRole('button', { name: 'Send it' }).click();
  await newest().getByText(/It says: 2\. It is early/).waitFor();
});

test('a prompt completes as one types, a template too; a picture and a sound are shown', async () => {
  await tab('Prompts');
  await field('destination').pressSequentially('Li');
  await page.locator('datalist option[value="Lisbon"]').waitFor({ state: 'attached' });
  await field('destination').fill('Lisbon');
  await main().getByRole('button', { name: 'Get', exact: true }).click();
  await page.getByText('user', { exact: true }).first().waitFor();
  await tab('Resources');
  await main().getByRole('button', { name: /Weather forecast/ }).click();
  await field('city').pressSequentially('Ber');
  await page.locator('datalist option[value="Berlin"]').waitFor({ state: 'attached' });
  await field('city').fill('Berlin');
  await field('date').fill('2026-05-01');
  await main().getByRole('button', { name: 'Read' }).click();
  await newest().getByText('weather://forecast/Berlin/2026-05-01').first().waitFor();
  await main().getByRole('button', { name: /Stamp/ }).click();
  await main().getByRole('button', { name: 'Read' }).click();
  const image = page.locator('.media img');
  await image.waitFor();
  assert.ok(await image.evaluate((one) => (one as HTMLImageElement).naturalWidth) > 0);
});

test('a resource that is subscribed to is marked when it changes', async () => {
  await main().getByRole('button', { name: /Travel calendar/ }).click();
  await main().getByRole('button', { name: 'Subscribe' }).click();
  await main().getByRole('button', { name: 'Unsubscribe' }).waitFor();
  await tab('Tools');
  await pick('calendar');
  for (const box of await main().locator('.form input[type=text]').all()) if (await box.inputValue() === '') await box.fill('Dinner');
  if (await field('date').inputValue() === '') await field('date').fill('2026-05-02');
  await call();
  await newest().getByText('done').waitFor();
  await tab('Resources');
  await main().getByText('changed', { exact: true }).first().waitFor();
});

test('roots are changed while connected, and logs are filtered', async () => {
  await tab('Overview');
  await main().getByLabel('URI of a new root').fill('/home/somebody');
  await main().getByRole('button', { name: 'Add root' }).click();
  await main().getByText('file:///home/somebody').waitFor();
  await tab('Logs');
  await main().getByLabel('The server sends').selectOption('debug');
  await tab('Tools');
  await pick('Search every airline');
  await route('Rome');
  await call();
  await newest().getByText('done').waitFor();
  await tab('Logs');
  await main().getByLabel('Search in logs').fill('answered');
  await main().getByRole('list', { name: 'Log lines' }).getByRole('listitem').first().waitFor();
});

test('the wire has each message with its sentence; it is stepped, edited, and sent raw', async () => {
  const wire = page.getByRole('complementary');
  await wire.getByLabel('Search the wire').fill('searchFlights request');
  await wire.locator('.wire-row').first().click();
  const detail = wire.getByRole('region', { name: 'Message' });
  assert.match(await detail.innerText(), /searchFlights[\s\S]*2026-07-28 server\/tools/);
  await wire.getByRole('button', { name: 'Lift the filter' }).click();
  await wire.getByRole('button', { name: 'Step', exact: true }).click();
  await tab('Tools');
  await pick('Search flights');
  await route('Porto');
  await call();
  const steps = wire.getByRole('region', { name: 'Step mode' });
  await steps.getByText(/1 held/).waitFor();
  const held = steps.getByLabel('The message that is held');
  await held.fill((await held.inputValue()).replace('Porto', 'Madrid'));
  await steps.getByRole('button', { name: 'Next, as edited' }).click();
  await steps.getByRole('button', { name: 'Next', exact: true }).click();
  await newest().getByText('done').waitFor();
  await newest().getByRole('button', { name: 'Tree' }).click();
  assert.match(await newest().innerText(), /Madrid/);
  await wire.getByRole('button', { name: 'Step', exact: true }).click();
  await wire.getByRole('button', { name: 'Send raw' }).click();
  await wire.getByLabel(/, unchanged$/).fill('{"jsonrpc":"2.0","id":1,"method":"no/such"}');
  await wire.getByRole('button', { name: 'Send', exact: true }).click();
  await wire.getByText(/refuses/).first().waitFor();
});

test('a session is recorded, played again, and compared; the activity log says who decided', async () => {
  await page.getByRole('tab', { name: 'Recordings' }).click();
  const dock = page.getByRole('complementary');
  await dock.getByRole('button', { name: /^Record/ }).click();
  await dock.getByRole('button', { name: 'Stop' }).waitFor();
  await route('Porto');
  await call();
  await newest().getByText('done').waitFor();
  await dock.getByRole('button', { name: 'Stop' }).click();
  await dock.getByRole('button', { name: 'Play again' }).click();
  await dock.getByText(/No difference\.|differences/).waitFor();
  await page.getByRole('tab', { name: 'Activity' }).click();
  await dock.getByLabel('Kind of activity').selectOption('decided');
  await dock.getByLabel('Search the activity log').fill('book_trip');
  await dock.getByRole('list', { name: 'Activity' }).getByRole('listitem').first().waitFor();
  await dock.getByText('Grants').click();
  await dock.getByRole('button', { name: 'Take back' }).first().click();
});

test('a call becomes a task, which is followed, cancelled, and found again by its id', async () => {
  await tab('Tools');
  await pick('Write a guide');
  await field('city').fill('Lisbon');
  await field('pages').fill('1');
  await call();
  await newest().getByText('1. Lisbon: how to get there').waitFor();
  await field('pages').fill('20');
  await call();
  const id = await newest().getByText(/^It is the task/).locator('code').innerText();
  await tab('Tasks');
  const task = page.getByRole('article', { name: `Task ${id}` });
  await task.getByText(/writing page \d+ of 20/).waitFor();
  await task.getByRole('button', { name: 'Cancel' }).click();
  await task.getByText('cancelled').first().waitFor();
  await task.getByRole('button', { name: 'Forget' }).click();
  await task.waitFor({ state: 'detached' });
  await field('Id of a task').fill(id);
  await main().getByRole('button', { name: 'Find it again' }).click();
  await task.getByText('a task found again').waitFor();
});

test('the doctor checks the server of this page, and its messages are on the wire', async () => {
  await tab('Doctor');
  await main().getByRole('button', { name: 'Run check' }).click();
  await main().getByText(/it is Travel agency/).waitFor();
  await main().getByText(/^0 errors, 0 warnings/).waitFor();
  await page.getByRole('tab', { name: 'Wire' }).click();
  await page.getByLabel('Server on the wire').selectOption('travel: check');
  await page.getByRole('complementary').locator('.wire-row', { hasText: 'barewire-doctor/unknown' }).first().waitFor();
  await page.getByRole('button', { name: 'Lift the filter' }).click();
  await page.getByRole('tab', { name: 'Recordings' }).click();
});

test('the judge judges the server of this page', async () => {
  await tab('Judge');
  assert.equal(await main().getByLabel('also what takes time').count(), 0, 'the file has no rules of slow runs');
  await main().getByText('the command "barewire judge" has all').waitFor();
  await main().getByRole('button', { name: 'Judge this server' }).click();
  await main().getByRole('status').getByText(/^MUST, broken: 0; .*; Kept: \d{2,}/).waitFor();
  await tab('Tools');
});

test('a transcript that is dropped is a wire of its own, and is played against the server of this page by a press', async () => {
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    const text = 'From elsewhere.\n\n--> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"http://evil.example/","arguments":{"n":1.10}}}\n<-- {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"<img src=http://evil.example/x>"}]}}\n';
    dataTransfer.items.add(new File([text], 'elsewhere.wire'));
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  });
  const dock = page.getByRole('complementary');
  await dock.locator('.wire-row', { hasText: 'evil.example' }).first().click();
  await dock.getByRole('region', { name: 'Message' }).getByText('1.10').waitFor();
  await page.getByRole('tab', { name: 'Recordings' }).click();
  const recording = dock.getByRole('listitem').filter({ hasText: 'elsewhere.wire' });
  await recording.getByRole('button', { name: 'Play again' }).click();
  await dock.getByText(/No difference\.|differences/).waitFor();
});

test('it is one file: nothing else was fetched, and nothing went wrong', () => {
  assert.deepEqual(requests.filter((url) => !/^(data|blob):/.test(url)), [address]);
  assert.deepEqual(faults, []);
});
