import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Authenticate, Documents } from '../../../src/transport/http/server/admission.ts';
import { everyNth } from '../../every-nth.ts';
import { returned, secret, thrown } from '../../server/hostile-values.ts';
import { rpc, start } from './harness.ts';

// Hooks (`auth` and its documents) that throw, or return anything unexpected: nobody is let in, each request is answered, and the error is
// reported to the author.
const body = rpc('initialize', { protocolVersion: '2025-11-25' });

test('hostile hooks: an `auth` that throws or gives anything lets nobody in, and every request is answered', async (t) => {
  let act: () => unknown = () => undefined;
  const { ask, errors } = await start(t, { auth: (() => act()) as Authenticate });
  const judge = async (name: string): Promise<void> => {
    errors.length = 0;
    const { status, text } = await ask({ body });
    assert.ok(status === 500 ? errors.length === 1 : status === 401 && errors.length === 0, `${name}: ${status}, ${errors.length} errors`);
    assert.ok(errors.every((error) => typeof error.message === 'string') && !text.includes(secret), `${name}: ${text}`);
  };
  const step = everyNth(12);
  let at = 0;
  for (const [name, make] of thrown()) {
    if (at++ % step !== 0) continue;
    act = () => {
      throw make();
    };
    await judge(`thrown: ${name}`);
  }
  for (const [name, make] of returned()) {
    if (at++ % step !== 0) continue;
    act = make;
    await judge(`given: ${name}`);
  }
  for (const [name, make] of returned()) {
    if (/^(content|a result)/.test(name)) continue;
    for (const member of ['principal', 'status', 'challenge', 'message', 'code']) {
      act = () => ({ ...member !== 'principal' && { status: 401, challenge: 'Bearer', message: 'no' }, [member]: make() });
      errors.length = 0;
      const { status, text } = await ask({ body });
      assert.ok([401, 500].includes(status) && !text.includes(secret), `${member}: ${name}: ${status} ${text}`);
    }
  }
  act = () => ({ principal: 'ann' });
  assert.equal((await ask({ body })).status, 200);
});

test('hostile hooks: documents that cannot be written are a 500, and the listener lives', async (t) => {
  let act: () => unknown = () => undefined;
  const documents = ((path: string) => (path === '/document' ? act() : undefined)) as Documents;
  const { ask, errors } = await start(t, { auth: { authenticate: () => ({ principal: 'ann' }), documents } });
  for (const [name, make] of [...returned()].filter(([one]) => !one.startsWith('content'))) {
    act = make;
    errors.length = 0;
    const { status, text } = await ask({ method: 'GET', path: '/document' });
    assert.ok([200, 404].includes(status) ? errors.length === 0 : status === 500 && errors.length === 1, `${name}: ${status}`);
    if (status === 200) assert.doesNotThrow(() => JSON.parse(text) as unknown, name);
    assert.ok(!text.includes(secret), `${name}: ${text}`);
  }
  for (const [name, make] of thrown()) {
    if (/ throws after| whose /.test(name)) continue;
    act = () => {
      throw make();
    };
    assert.equal((await ask({ method: 'GET', path: '/document' })).status, 500, name);
  }
});
