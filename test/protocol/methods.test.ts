import assert from 'node:assert/strict';
import test from 'node:test';
import { mayPass } from '../../src/protocol/lifecycle.ts';
import { isModernMethod } from '../../src/server/connected-client.ts';
import { hasCacheHints, hasMethod, listMethods, mayAsk, methodRow, methods, neededCapability } from '../../src/protocol/methods.ts';
import { mirroredParameter } from '../../src/protocol/mirrored-headers.ts';
import { revisions } from '../../src/protocol/revisions.ts';

const versions = revisions.map(({ version }) => version);

test('methods: each row is of revisions that there are, in their order', () => {
  for (const [name, { since, until }] of Object.entries(methods)) {
    if (since !== undefined) assert.ok(versions.includes(since), name);
    if (until !== undefined) assert.ok(versions.includes(until), name);
    assert.ok((since ?? '') <= (until ?? '9'), name);
    assert.ok(revisions.some((revision) => hasMethod(revision, name)), name);
  }
});

test('methods: what a notification cannot have, and a request of the server cannot', () => {
  for (const [name, row] of Object.entries(methods)) {
    const notification = name.startsWith('notifications/');
    const client = mayAsk(name) || listMethods.includes(name) || hasCacheHints(name) || mirroredParameter(name) !== undefined;
    if (!notification) assert.ok(!row.filter, name);
    if (notification || row.from === 'server') assert.ok(!client && neededCapability(name) === undefined, name);
    if (row.filter !== undefined) assert.equal(row.from, 'server', name);
  }
});

test('methods: a revision has what it has', () => {
  const has = (version: string): string[] => {
    const revision = revisions.find((row) => row.version === version);
    assert.ok(revision);
    return Object.keys(methods).filter((name) => hasMethod(revision, name));
  };
  const added = (from: string, to: string): string[] => has(to).filter((name) => !has(from).includes(name)).sort();
  assert.deepEqual(added('2024-11-05', '2025-03-26'), []);
  assert.deepEqual(added('2025-03-26', '2025-06-18'), ['elicitation/create']);
  assert.deepEqual(added('2025-06-18', '2025-11-25'), [
    'notifications/elicitation/complete', 'notifications/tasks/status', 'tasks/cancel', 'tasks/get', 'tasks/list',
    'tasks/result',
  ]);
  assert.deepEqual(added('2025-11-25', '2026-07-28'), [
    'notifications/subscriptions/acknowledged', 'server/discover', 'subscriptions/listen', 'tasks/update',
  ]);
  assert.deepEqual(added('2026-07-28', '2025-11-25'), [
    'initialize', 'logging/setLevel', 'notifications/elicitation/complete', 'notifications/initialized',
    'notifications/roots/list_changed', 'notifications/tasks/status', 'ping', 'resources/subscribe',
    'resources/unsubscribe', 'tasks/list', 'tasks/result',
  ]);
});

test('methods: what the columns say of each method', () => {
  const said = Object.keys(methods).map((name) => [
    name, neededCapability(name), mayAsk(name) && 'asks', mirroredParameter(name), listMethods.includes(name) && 'list',
    hasCacheHints(name) && 'cached',
  ].filter(Boolean).join(' ')).filter((line) => line.includes(' '));
  assert.deepEqual(said, [
    'server/discover cached', 'tools/list tools list cached', 'tools/call tools asks name', 'resources/list resources list cached',
    'resources/templates/list resources list cached', 'resources/read resources asks uri cached',
    'resources/subscribe resources.subscribe', 'resources/unsubscribe resources.subscribe', 'prompts/list prompts list cached',
    'prompts/get prompts asks name', 'completion/complete completions', 'logging/setLevel logging', 'tasks/get taskId',
    'tasks/update taskId', 'tasks/cancel taskId',
  ]);
  for (const list of listMethods) assert.ok(Object.hasOwn(methods, list), list);
});

test('methods: a name that is none has a row that says nothing', () => {
  for (const name of ['nothing', 'constructor', '__proto__', '', undefined, 7, {}]) {
    assert.deepEqual(methodRow(name), {});
  }
});

test('methods: what passes before the handshake, and what only the modern era has, agree with the table', () => {
  const requests = Object.entries(methods).filter(([name]) => !name.startsWith('notifications/'));
  for (const [name, { since, until, from }] of requests) {
    // The handshake may use methods of the first revision that are in no modern one and need no capability.
    const first = since === undefined && until === '2025-11-25' && neededCapability(name) === undefined;
    assert.equal(mayPass('handshake', name), first, name);
    assert.equal(mayPass('ping', name), first && from === 'both', name);
    assert.equal(mayPass('operation', name), !first || from === 'both', name);
    assert.equal(mayPass('none', name), false, name);
    // Only the extension for tasks serves its methods.
    const onlyModern = since === '2026-07-28' && from !== 'server' && !name.startsWith('tasks/');
    assert.equal(isModernMethod(name), onlyModern, name);
  }
});
