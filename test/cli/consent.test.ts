import assert from 'node:assert/strict';
import test from 'node:test';
import { askConsent } from '../../src/cli/ask-consent.ts';
import { consentTo } from '../../src/cli/consent.ts';
import type { ConsentOptions } from '../../src/cli/consent.ts';
import { style } from '../../src/host/node/style.ts';
import type { Tool, ToolAnnotations } from '../../src/protocol/tools.ts';

const nothing: ConsentOptions = { all: false, allowed: [], strict: false };
const tool = (name: string, annotations?: ToolAnnotations): Tool => ({ name, inputSchema: { type: 'object' }, annotations });
const may = async (one: Tool, options: Partial<ConsentOptions> = {}): Promise<boolean> =>
  (await consentTo(one, {}, { ...nothing, ...options })).given;

// Names that an earlier list of verbs accepted, and some that it did not know.
const verbs = ['fork_repository', 'reboot', 'refund', 'withdraw_funds', 'format_disk', 'echo', 'get_weather', 'read_file', 'x'];

test('consent: a tool is judged by its annotations, never by its name', async () => {
  for (const name of verbs) {
    assert.equal(await may(tool(name)), false, name);
    assert.equal(await may(tool(name, {})), false, name);
    assert.equal(await may(tool(name, { destructiveHint: false })), false, name);
    assert.equal(await may(tool(name, { readOnlyHint: false, idempotentHint: true })), false, name);
    assert.equal(await may(tool(name, { readOnlyHint: true, destructiveHint: true })), false, name);
    assert.equal(await may(tool(name, { readOnlyHint: true })), true, name);
    assert.equal(await may(tool(name, { readOnlyHint: true }), { strict: true }), false, name);
  }
});

test('consent: --yes to everything, --allow to some, the example to its own', async () => {
  assert.equal(await may(tool('pay', { destructiveHint: true }), { all: true, strict: true }), true);
  assert.equal(await may(tool('pay_invoice'), { allowed: ['pay_*'] }), true);
  assert.equal(await may(tool('repay'), { allowed: ['pay*'] }), false);
  assert.equal(await may(tool('book'), { own: ({ name }) => name === 'book' }), true);
  assert.equal(await may(tool('cancel'), { own: ({ name }) => name === 'book' }), false);
});

test('consent: what is not given says why, and how to give it', async () => {
  const said = async (annotations: ToolAnnotations | undefined, options: Partial<ConsentOptions> = {}): Promise<string> =>
    (await consentTo(tool('t', annotations), {}, { ...nothing, ...options })).why;
  assert.match(await said(undefined), /counts as destructive; consent with --yes or --allow t/);
  assert.match(await said({ destructiveHint: true }), /marked destructive/);
  assert.match(await said({ readOnlyHint: true }, { strict: true }), /--strict does not believe/);
  assert.match((await consentTo(tool('t', { readOnlyHint: true }), {}, nothing)).why, /the server says/);
  assert.deepEqual(await consentTo(tool('t'), {}, { ...nothing, ask: async () => false }), { given: false, why: 'the person did not consent' });
  assert.equal(await may(tool('t'), { ask: async () => true }), true);
});

test('consent: a person sees server, tool and exact arguments, made visible, and only yes is yes', async () => {
  const lines: string[] = [];
  const prompter = (answer: string | undefined): Parameters<typeof askConsent>[0] => ({
    say: (line) => lines.push(line), ask: async () => answer, close: () => {},
  });
  const asked = (answer: string | undefined, args: Record<string, unknown> = { to: 'a\u202eb\u001b[31m' }): Promise<boolean> =>
    askConsent(prompter(answer), style(false), 'bank', tool('pay'), args);
  assert.equal(await asked('y'), true);
  const text = lines.join('\n');
  assert.match(text, /bank will run pay/);
  assert.match(text, /"a\\u\{202e\}b/);
  assert.match(text, /only the server claims this/i);
  assert.ok(!text.includes('\u001b') && !text.includes('\u202e'));
  for (const answer of ['', 'n', 'yeah', 'yes please', undefined]) assert.equal(await asked(answer), false);
  assert.equal(await asked('YES'), true);
  assert.equal(await asked('y', { list: Array.from({ length: 500 }, (_, i) => i) }), false);
});
