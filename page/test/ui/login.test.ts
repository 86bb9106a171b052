// A server that requires a login: the login button comes before the steps so far.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { LoginStep } from '../../src/messages.ts';
import { launch, openFake, violationsOf } from './browser.ts';
import { serverView, welcome } from './views.ts';

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

test('the link to the login stands first, the steps before it are folded, and after it they are shown', async () => {
  const { page, faults, close } = await openFake(browser);
  const step = (kind: LoginStep['step'], what: string, url: string | null = null): LoginStep => ({ server: 'safe', at: 1_790_000_000_000, step: kind, what, details: {}, url });
  const steps = [step('challenge', 'the server said 401'), step('server-metadata', 'it has an authorization server'), step('consent', 'login.example asks you to log in', 'https://login.example/authorize?state=x')];
  await page.evaluate((message) => window.fake.say(message), welcome({ servers: [serverView('safe', { target: { kind: 'address', url: 'https://safe.example/mcp', headers: [] }, state: 'resting', agreed: null, login: 'under-way' })], logins: steps }));
  const login = page.getByRole('main').getByRole('region', { name: 'Login' });
  const link = login.getByRole('link', { name: 'Log in at login.example' });
  await link.waitFor();
  const words = await login.innerText();
  assert.match(words, /^safe wants a login\s+Log in at login\.example\s/);
  assert.ok(!words.includes('the server said 401'));
  // There is no Connect button while the login waits for the person: it would do nothing.
  assert.equal(await page.getByRole('button', { name: /connect/i }).count(), 0);
  await page.getByRole('navigation', { name: 'Servers' }).getByText('waits for the login').waitFor();
  await login.getByText('What happened so far: 3 steps').click();
  await login.getByText('the server said 401').waitFor();
  assert.deepEqual((await violationsOf(page, 'main')).map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
  await page.evaluate((news) => window.fake.say({ type: 'login', step: news }), step('failed', 'the authorization server refused'));
  await login.getByText('the authorization server refused').waitFor();
  assert.equal(await link.count(), 0, 'a login that is over is not waited for');
  assert.equal(await login.getByText('What happened so far').count(), 0);
  assert.deepEqual(faults, []);
  await close();
});
