// The same jobs in the Inspector, by the shortest way that was found.
import { see } from './hand.mjs';

const connect = (page, name) => page.getByRole('switch', { name: `Connect or disconnect "${name}"` });
const tabOf = (page, name) => page.getByText(name, { exact: true });
const tool = (page, name) => page.getByRole('button', { name, exact: true });
const execute = (page) => page.getByRole('button', { name: 'Execute Tool' });

async function openTool(hand, page, name) {
  // Its switch is drawn over its checkbox.
  await hand.press(connect(page, 'desk'), { force: true });
  await hand.press(tabOf(page, 'Tools'));
  await hand.press(tool(page, name));
}

async function choose(hand, page, field, value) {
  await hand.press(page.getByRole('textbox', { name: field }));
  await hand.press(page.getByRole('option', { name: value }));
}

async function failedCall(hand, page) {
  await openTool(hand, page, 'weather');
  await hand.type(page.getByRole('textbox', { name: 'city' }), 'Rome');
  await hand.press(execute(page));
  await see(page.getByText(/weather failed/));
}

export const jobs = {
  async form(hand, page, shot) {
    await shot('start');
    await openTool(hand, page, 'place_order');
    await shot('form');
    await hand.type(page.getByRole('textbox', { name: 'name' }), 'Ann');
    await hand.type(page.getByRole('textbox', { name: 'street' }), 'Main 1');
    await hand.type(page.getByRole('textbox', { name: 'city' }), 'Oslo');
    await hand.press(page.getByRole('button', { name: 'Add item to lines' }));
    await choose(hand, page, 'article', 'pen');
    await hand.type(page.getByRole('textbox', { name: 'count' }), '2');
    await shot('filled');
    await hand.press(execute(page));
    await see(page.getByText('Ordered 2 pen for Ann in Oslo'));
    await shot('result');
  },
  async failure(hand, page, shot) {
    await failedCall(hand, page);
    await shot('failure');
    await hand.press(tabOf(page, 'Console'));
    await see(page.getByText(/no station in Rome/));
    await shot('cause');
  },
  async question(hand, page, shot) {
    await openTool(hand, page, 'book');
    await hand.press(execute(page));
    await see(page.getByText('Which seat do you want?'));
    await shot('question');
    await choose(hand, page, 'seat', 'window');
    await hand.press(page.getByRole('button', { name: 'Submit' }));
    await see(page.getByText('Booked a window seat'));
  },
  // It calls in one era at a time: the two answers are never on the screen together.
  async revisions(hand, page, shot) {
    await openTool(hand, page, 'weather');
    await hand.type(page.getByRole('textbox', { name: 'city' }), 'Oslo');
    await hand.press(execute(page));
    await see(page.getByText('4 degrees, rain'));
    await hand.press(tabOf(page, 'Servers'));
    // The list slides in: a press before it rests hits nothing.
    await page.waitForTimeout(1500);
    await hand.press(connect(page, 'desk'), { force: true });
    await see(page.getByText('Disconnected').nth(1));
    await hand.press(page.getByRole('button', { name: 'Settings', exact: true }));
    await hand.press(page.getByRole('textbox', { name: 'Protocol Era' }));
    await hand.press(page.getByRole('option', { name: /^Modern/ }));
    await hand.key('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    // It saves the settings a moment later, and a connection of that moment ends.
    await page.waitForTimeout(6000);
    await openTool(hand, page, 'weather');
    await hand.type(page.getByRole('textbox', { name: 'city' }), 'Oslo');
    await hand.press(execute(page));
    await see(page.getByText('4 degrees, rain'));
    await shot('revisions');
  },
  async colleague(hand, page, shot) {
    await failedCall(hand, page);
    await hand.press(tabOf(page, 'Protocol'));
    await shot('share');
    const download = page.waitForEvent('download');
    await hand.press(page.getByRole('button', { name: 'Export' }));
    await download;
  },
  async login(hand, page, shot) {
    await hand.press(connect(page, 'safe'), { force: true });
    await shot('login');
    await hand.press(tabOf(page, 'Tools'));
    await see(tool(page, 'add'));
  },
};

/** What the Inspector does less of in a job, beside its presses. */
export const less = {
  revisions: 'shows one answer at a time',
  colleague: 'exports the whole history, which is not shown before',
};
