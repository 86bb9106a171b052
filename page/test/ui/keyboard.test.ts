// Six tasks by keyboard only, in each scene of scenes.ts: a nested form, a failed call, a question, a comparison of two revisions, sharing
// a fault, a login. There is no pointer; only keys and the page move the focus.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { ActionName, CallView, HostMessage, ParamsOf } from '../../src/messages.ts';
import { launch, openFake } from './browser.ts';
import { questions, scene } from './scene.ts';
import { isNarrow, scenes } from './scenes.ts';
import { callView } from './views.ts';

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

/** A keyboard that counts its presses. A typed text counts as one. */
class Keys {
  readonly page: Page;
  presses = 0;

  constructor(page: Page) {
    this.page = page;
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      await this.page.keyboard.press(key);
      this.presses++;
    }
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
    this.presses++;
  }

  /** Presses Tab until the element with this name has the focus, and checks that it is visible. */
  async to(name: RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    const passed: string[] = [];
    for (let at = 0; at < 150; at++) {
      await this.press(key);
      const found = await this.#focused();
      if (!name.test(found)) {
        passed.push(found.slice(0, 30));
        continue;
      }
      assert.ok(await this.#inSight(), `${name} has the focus out of sight`);
      return;
    }
    assert.fail(`${name} is not reached: ${passed.join(' | ')}`);
  }

  #focused(): Promise<string> {
    return this.page.evaluate(() => {
      const at = document.activeElement;
      const labels = at instanceof HTMLInputElement || at instanceof HTMLSelectElement || at instanceof HTMLTextAreaElement ? [...at.labels ?? []].map((one) => one.textContent).join(' ') : '';
      return at?.getAttribute('aria-label') ?? (labels || (at?.textContent ?? ''));
    });
  }

  /** Whether some of the focused element is on the screen, and nothing covers it. */
  #inSight(): Promise<boolean> {
    return this.page.evaluate(() => {
      const at = document.activeElement;
      if (!at) return false;
      const { left, top, right, bottom } = at.getBoundingClientRect();
      const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2;
      const y = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2;
      const front = document.elementFromPoint(x, y);
      return front !== null && (at.contains(front) || front.contains(at));
    });
  }
}

const say = (page: Page, message: HostMessage): Promise<void> => page.evaluate((one) => window.fake.say(one), message);

/** The parameters of the page's last action of this name. */
async function asked<N extends ActionName>(page: Page, name: N): Promise<ParamsOf<N>> {
  const found = await page.waitForFunction((wanted) => window.fake.asked.findLast((one) => one.type === 'action' && one.name === wanted), name);
  const message = await found.jsonValue();
  assert.ok(message?.type === 'action');
  return message.params as ParamsOf<N>;
}

const trip = (call: number, change: Partial<CallView> = {}): CallView =>
  callView(call, { server: 'travel', about: { kind: 'tool', name: 'plan_trip', args: { destination: 'Oslo' } }, wire: 8, ...change });

interface Job {
  readonly keys: Keys;
  readonly page: Page;
  readonly narrow: boolean;
}

const jobs: Readonly<Record<string, (job: Job) => Promise<void>>> = {
  async 'a nested form'({ keys, page }) {
    await keys.to(/^Overview$/);
    await keys.press('ArrowRight');
    await keys.to(/^Destination/);
    await keys.type('Lisbon');
    await keys.to(/^Day/);
    await keys.type('12012026');
    await keys.to(/^email/);
    await keys.type('ada@example.com');
    await keys.to(/^Call$/);
    await keys.press('Enter');
    const { args } = await asked(page, 'tool.call') as { args: Record<string, unknown> };
    assert.deepEqual([args['destination'], args['when'], args['contact']], ['Lisbon', '2026-12-01', { email: 'ada@example.com' }]);
  },
  async 'why a call failed'({ keys, page, narrow }) {
    await say(page, { type: 'call', call: trip(4, { wire: 10, state: 'failed', result: null, failure: { code: -32602, message: 'property "when" is missing' } }) });
    await keys.to(/^Hide call 4$/);
    await keys.to(/^On the wire$/);
    await keys.press('Enter');
    await page.getByRole('region', { name: 'Message' }).waitFor();
    if (!narrow) await keys.to(/^Close the message$/);
    await keys.to(/^Its answer$/);
    await keys.press('Enter');
    await page.getByRole('region', { name: 'Message' }).getByText('"when" is missing').first().waitFor();
    await keys.to(/^Close the message$/, 'Shift+Tab');
    await keys.press('Enter');
    await page.getByRole('region', { name: 'Message' }).waitFor({ state: 'detached' });
    if (!narrow) return;
    await keys.to(/^Server$/, 'Shift+Tab');
    await keys.press('Enter');
  },
  async 'a fault for a colleague'({ keys, page }) {
    await page.evaluate(() => { window.fake.replies['wire.share'] = { text: 'the transcript', redacted: [], messages: 2 }; });
    await keys.to(/^Share this call$/);
    await keys.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Share the failed call of plan_trip on travel' });
    await dialog.getByText('the transcript').waitFor();
    await keys.to(/^Save as a file$/);
    const saved = page.waitForEvent('download');
    await keys.press('Enter');
    assert.equal((await saved).suggestedFilename(), 'travel-call-4.wire');
    await dialog.waitFor({ state: 'detached' });
  },
  async 'a question'({ keys, page }) {
    const question = questions.find(({ kind }) => kind === 'form');
    assert.ok(question);
    await say(page, { type: 'question', question });
    await page.waitForFunction(() => document.querySelector('.question')?.contains(document.activeElement));
    await keys.to(/^Name on the ticket/);
    await keys.type('Ada');
    await keys.to(/^E-mail/);
    await keys.type('ada@example.com');
    await keys.to(/Window/);
    await keys.press('ArrowDown');
    await keys.to(/^Accept$/);
    await keys.press('Enter');
    assert.deepEqual(await asked(page, 'question.answer'), { question: 'form', answer: { kind: 'form', action: 'accept', content: { name: 'Ada', email: 'ada@example.com', seat: 'a', insurance: true } } });
    await say(page, { type: 'question-closed', id: question.id, by: null });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  },
  async 'two revisions'({ keys, page }) {
    // End the running call, which would prevent the reconnection of the server.
    await say(page, { type: 'call', call: trip(3) });
    await page.evaluate(([one, other]) => {
      const replies = { 'server.reconnect': [{ revision: '2025-11-25' }, { revision: '2026-07-28' }, { revision: '2026-07-28' }], 'tool.call': [one, other] };
      for (const [name, list] of Object.entries(replies)) Object.defineProperty(window.fake.replies, name, { get: () => list.shift() });
    }, [trip(5), trip(6)]);
    await keys.to(/^Compare revisions$/);
    await keys.press('Enter');
    await keys.to(/^Call in two revisions$/);
    await keys.press('Enter');
    await page.getByRole('region', { name: 'modern era' }).getByText('2026-07-28').first().waitFor();
    await page.getByRole('main').getByText('Both revisions give the same result.').waitFor();
  },
  async 'a login'({ keys, page }) {
    await keys.to(/^travel/);
    await keys.press('End', 'Enter');
    await keys.to(/^(?:Overview|Tools\d*)$/);
    await keys.press('Home');
    await page.getByRole('main').getByRole('link', { name: /^Log in at/ }).waitFor();
    await keys.to(/^Log in at login\.example/);
    const left = page.waitForRequest(/^https:\/\/login\.example\/authorize$/);
    await keys.press('Enter');
    await left;
  },
};

for (const [name, options] of Object.entries(scenes)) {
  test(`six jobs by keyboard only: ${name}`, async () => {
    const { page, faults, close } = await openFake(browser, { ...options, locale: 'en-US' });
    await say(page, scene());
    const keys = new Keys(page);
    const counts: string[] = [];
    for (const [job, run] of Object.entries(jobs)) {
      const before = keys.presses;
      await run({ keys, page, narrow: isNarrow(options) });
      counts.push(`${job} ${keys.presses - before}`);
    }
    console.log(`# presses, ${name}: ${counts.join(', ')}`);
    assert.deepEqual(faults.filter((one) => !one.includes('ERR_FAILED')), []);
    await close();
  });
}
