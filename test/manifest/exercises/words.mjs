// barewire, /schema, /schema/full, /jsonrpc, /protocol, /explain, /transcript: data in, data out.
import { entries } from 'barewire';
import { explain } from 'barewire/explain';
import { createFramer, decode, encode } from 'barewire/jsonrpc';
import { expandUriTemplate, revisions, serverLifecycle, uriTemplate } from 'barewire/protocol';
import { compile, describeErrors, fillDefaults } from 'barewire/schema';
import { compile as compileFull } from 'barewire/schema/full';
import { parseTranscript, recorder } from 'barewire/transcript';

export async function run() {
  const schema = { type: 'object', properties: { at: { type: 'string', format: 'date', maxLength: 10 }, to: { type: 'string', pattern: '^a+b$' } }, required: ['at'] };
  for (const make of [compile, compileFull]) {
    const validate = make(schema);
    if (!validate({ at: '2026-01-31', to: 'aab' }).valid || validate({ at: 7 }).valid) throw new Error('judged wrongly');
    if (describeErrors(validate({}).errors).length === 0) throw new Error('no words');
  }
  void fillDefaults;
  const { message } = decode('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  if (message === undefined && encode({ jsonrpc: '2.0', id: 1, method: 'ping' }) === '') throw new Error('not decoded');
  if (typeof createFramer !== 'function' || !serverLifecycle || revisions.length + Object.keys(revisions).length === 0) throw new Error('missing');
  void [expandUriTemplate, uriTemplate('a://{b}'), recorder, parseTranscript, entries];
  if (JSON.stringify(explain({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, 'client') ?? '').length === 0) throw new Error('not explained');
}
