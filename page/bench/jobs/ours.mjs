// The jobs in the page of barewire. Each begins on the page as it opens, with both servers configured and none connected.
import { see } from './hand.mjs';

const main = (page) => page.getByRole('main');
const button = (page, name) => main(page).getByRole('button', { name, exact: true });
const tab = (page, name) => main(page).getByRole('tab', { name: new RegExp(`^${name}`) });

const connect = (hand, page, name) => hand.press(page.getByRole('button', { name: `Connect ${name}`, exact: true }));

async function openTool(hand, page, name) {
  await connect(hand, page, 'desk');
  await hand.press(main(page).getByRole('button', { name: new RegExp(`^${name} `) }));
}

async function failedCall(hand, page) {
  await openTool(hand, page, 'weather');
  await hand.type(page.getByRole('textbox', { name: 'city' }), 'Rome');
  await hand.press(button(page, 'Call'));
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
    await hand.press(button(page, 'Add to lines'));
    await hand.press(page.getByRole('radio', { name: 'pen' }));
    await hand.type(page.getByRole('textbox', { name: 'count' }), '2');
    await shot('filled');
    await hand.press(button(page, 'Call'));
    await see(page.getByText('Ordered 2 pen for Ann in Oslo'));
    await shot('result');
  },
  async failure(hand, page, shot) {
    await failedCall(hand, page);
    await shot('failure');
    await hand.press(tab(page, 'Logs'));
    await see(page.getByText(/no station in Rome/));
    await shot('cause');
  },
  async question(hand, page, shot) {
    await openTool(hand, page, 'book');
    await hand.press(button(page, 'Call'));
    await see(page.getByText('Which seat do you want?'));
    await shot('question');
    await hand.press(page.getByRole('radio', { name: 'window' }));
    await hand.press(page.getByRole('button', { name: 'Accept' }));
    await see(page.getByText('Booked a window seat'));
  },
  async revisions(hand, page, shot) {
    await openTool(hand, page, 'weather');
    await hand.type(page.getByRole('textbox', { name: 'city' }), 'Oslo');
    await hand.press(page.getByText('Compare revisions', { exact: true }));
    await hand.press(button(page, 'Call in two revisions'));
    for (const era of ['legacy', 'modern']) await see(page.getByRole('region', { name: `${era} era` }).getByText(/4 degrees, rain/));
    await shot('revisions');
  },
  async colleague(hand, page, shot) {
    await failedCall(hand, page);
    await hand.press(page.getByRole('button', { name: 'Share', exact: true }));
    await shot('share');
    const download = page.waitForEvent('download');
    await hand.press(page.getByRole('button', { name: 'Save as a file' }));
    await download;
  },
  async login(hand, page, shot) {
    await connect(hand, page, 'safe');
    await page.getByRole('link', { name: /^Log in at/ }).waitFor();
    await shot('login');
    // The authorization server of the bench agrees at once.
    await hand.press(page.getByRole('link', { name: /^Log in at/ }));
    await see(main(page).getByRole('list', { name: 'Tools' }).getByRole('button'));
  },
};
