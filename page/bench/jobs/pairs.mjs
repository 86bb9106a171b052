// The same task in both pages as a pair of pictures that say of neither whose it is: names are covered, colours are grey, and the
// order is by lot. For somebody who has seen neither.
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The tasks, by the scene that shows them. */
const tasks = {
  'form-start': 'The first look: two servers are configured, and none is connected. Connect one of them.',
  'form-form': 'A tool was chosen that places an order. See what it wants to know.',
  'form-filled': 'The form of the order was filled in, with a nested address and one line. Check it, and send it.',
  'form-result': 'The order was sent. Read what came of it.',
  'failure-failure': 'A tool was called with the city Rome, and failed. See that it failed.',
  'failure-cause': 'Find out why it failed.',
  'question-question': 'A tool was called and asks which seat is wanted. Answer its question.',
  'revisions-revisions': 'The same call was made in two revisions of the protocol. Compare the two answers.',
  'colleague-share': 'Hand the failed call to a colleague as a file, without telling a secret.',
  'login-login': 'A server wants a login. Log in.',
};

// Versions, and folders of this machine, would tell it too.
const names = /(?<name>barewire(?:-page)?|(?:MCP\s+)?Inspector|^Copyright.*)|(?<version>(?<![.\d])\d+\.\d+\.\d+(?![.\d]))|(?<=^|[\s(])(?:file:\/\/)?\/(?:[\w.-]+\/)+/gi;

/** Takes the pictures into a folder: `NN-a.png`, `NN-b.png`, `TASKS.md`; and beside it a file with the same name and `.key`, which says whose is whose. */
export function pairs(folder) {
  mkdirSync(folder, { recursive: true });
  const numbers = Object.keys(tasks);
  const number = (scene) => String(numbers.indexOf(scene) + 1).padStart(2, '0');
  const key = `${folder.replace(/\/+$/, '')}.key`;
  // A part of the jobs may be done again: the lot stays.
  const drawn = existsSync(key) ? readFileSync(key, 'utf8') : '';
  const firsts = new Map(numbers.map((scene) => [scene, new RegExp(`^${number(scene)}-a (\\w+)$`, 'm').exec(drawn)?.[1] ?? (randomInt(2) === 0 ? 'barewire' : 'Inspector')]));
  writeFileSync(join(folder, 'TASKS.md'), `# Ten tasks, each on two pages\n\n${numbers.map((scene) => `- **${number(scene)}.** ${tasks[scene]}\n`).join('')}`);
  writeFileSync(key, numbers.map((scene) => `${number(scene)}-a ${firsts.get(scene)}\n`).join(''));
  return async (page, job, scene, product) => {
    const task = `${job}-${scene}`;
    if (!firsts.has(task)) return;
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setEmulatedVisionDeficiency', { type: 'achromatopsia' });
    // The Inspector leaves for a login, and comes back.
    await page.evaluate(covered, names.source).catch(async () => {
      await page.waitForTimeout(2000);
      await page.evaluate(covered, names.source);
    });
    await page.screenshot({ path: join(folder, `${number(task)}-${firsts.get(task) === product ? 'a' : 'b'}.png`) });
    await session.detach();
  };
}

/** Runs in the page. */
function covered(source) {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data } = walker.currentNode;
    const other = data.replace(new RegExp(source, 'gi'), (...found) => (found.at(-1).name ? 'product' : found.at(-1).version ? 'n.n.n' : '…/'));
    if (other !== data) walker.currentNode.data = other;
  }
  // The signs of both stand in this corner, under a dialog too.
  for (const sign of document.querySelectorAll('svg, img')) {
    const { left, top } = sign.getBoundingClientRect();
    if (left < 45 && top < 40) sign.style.visibility = 'hidden';
  }
}
