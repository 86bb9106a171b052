import { isObject } from '../../../jsonrpc/internal-exports.ts';
import { bounds } from '../../bounds.ts';
import { addTool } from '../hidden-server.ts';
import type { Play, Scene } from '../scene.ts';
import type { Received } from '../visit.ts';

// Malformed messages. The specification binds the sender; whether a client that accepts such a message breaks a rule is open to two
// readings. So the verdict is a dispute.

/** A malformed request, the id that a response to it would have, and the rule that it breaks. */
interface Malformed {
  readonly rule: string;
  readonly what: string;
  readonly data: string | Uint8Array;
  readonly id: unknown;
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));

/** Pings, since every client answers a ping. Only over a pipe does the judge control the bytes of a message. */
function malformedPings({ visit }: Play): readonly Malformed[] {
  const badBytes = '{"jsonrpc":"2.0","id":"hidden-\xff-byte","method":"ping"}';
  return [
    { rule: 'base-59', what: 'a request without "jsonrpc"', data: '{"id":"hidden-bare","method":"ping"}', id: 'hidden-bare' },
    { rule: 'base-65', what: 'a request whose id is 7002.5', data: '{"jsonrpc":"2.0","id":7002.5,"method":"ping"}', id: 7002.5 },
    { rule: 'base-68', what: 'a request whose id is null', data: '{"jsonrpc":"2.0","id":null,"method":"ping"}', id: null },
    ...visit.way === 'pipe' ? [{ rule: 'base-60', what: 'a request with the byte FF, which is not UTF-8, in its id', data: bytesOf(badBytes), id: 'hidden-\ufffd-byte' }] : [],
  ];
}

export const malformed: Scene = {
  name: 'a server whose requests are malformed', rules: ['base-59', 'base-60', 'base-65', 'base-68', 'schema-7'],
  suits: ({ era, place }, way) => era === 'legacy' && (way === 'pipe' || place > 0),
  answer(play, message) {
    if (message.method !== 'tools/list' || play.notes.has('said')) return false;
    play.notes.set('said', true);
    void sayAll(play, message).then(() => play.serve(message));
    return true;
  },
};

async function sayAll(play: Play, list: Received): Promise<void> {
  const { visit } = play;
  const pings = malformedPings(play);
  // An error response to one of these may have its id or no id.
  for (const id of [...pings.map((one) => one.id), undefined]) visit.unjudged.add(id);
  for (const { rule, what, data, id } of pings) {
    const from = visit.messages.length;
    const sent = visit.sayData(data, list);
    // The client may have left, or closed the stream.
    if (!await visit.ask('ping', undefined, list)) return;
    const taken = (): Received | undefined => visit.messages.slice(from).find((one) => one.method === undefined && one.id === id && isObject(one.json) && 'result' in one.json);
    await visit.until(() => taken() !== undefined, bounds.orderMs);
    const answer = taken();
    if (answer) visit.dispute(rule, `no result in answer to ${what}`, answer, sent);
    else visit.check(rule, true, 'no result', 'the client answered the ping after it');
    for (const one of visit.messages.slice(from)) errorId(play, one);
  }
}

/** JSON-RPC 2.0 section 5: the id is null if the request cannot be read. The schema since 2025-11-25 does not allow null. */
function errorId({ visit }: Play, message: Received): void {
  const { json } = message;
  if (!isObject(json) || !('error' in json)) return;
  if (json['id'] === null) visit.dispute('schema-7', 'an error without an id: the request could not be read', message);
  else if (json['id'] === undefined) visit.check('schema-7', true, 'an error without an id', message);
}

const nextPage = 'hidden-page-2';

/** A list with a result and an error. A client that requests the next page has accepted it. */
export const twoAnswers: Scene = {
  name: 'a list with a result and an error', rules: ['base-69'],
  suits: ({ era, place }, way) => era === 'legacy' && place < 3 && (way === 'pipe' || place > 0),
  answer({ visit, notes }, message) {
    if (message.method !== 'tools/list') return false;
    if (message.params['cursor'] === nextPage) {
      notes.set('taken', message);
      return false;
    }
    visit.reply(message, { result: { tools: [addTool], nextCursor: nextPage }, error: { code: -32603, message: 'Internal error' } });
    notes.set('said', true);
    return true;
  },
  after({ visit, notes, called }) {
    // A missing call is a sign only if the client normally calls the tools that it lists.
    if (!notes.has('said') || !called.has('add_numbers')) return;
    const taken = notes.get('taken') as Received | undefined ?? visit.messages.find(({ method }) => method === 'tools/call');
    if (taken) visit.dispute('base-69', 'no use of a response that has a result and an error', taken);
    else visit.check('base-69', true, 'no use of the list', 'the client did not use it');
  },
};
