import type { Revision } from '../../protocol/index.ts';
import type { Bench } from '../bench.ts';
import { isObject } from '../../jsonrpc/internal-exports.ts';
import type { ServerProbe } from '../probe.ts';
import { capabilitiesKey, clientInfoKey, versionKey } from '../../protocol/internal-exports.ts';
import { judgeInfo } from '../conversation.ts';
import { goesOn } from './cancellation.ts';

/** Levels of nesting: too many for a recursive parser. */
const levels = 100_000;
/** Characters of the large message. */
const large = 8_000_000;

/** Texts that are not JSON. */
const texts: readonly string[] = [
  'judge: this is not JSON', '{"jsonrpc":"2.0","id":81,"method":"pi', '\u0000\u0001\u0002', '['.repeat(levels), '{"a":'.repeat(levels),
  `{"jsonrpc":"2.0","id":82,"method":"${'x'.repeat(large)}`,
];

/** JSON that is not a request, with names of members that every object inherits. */
const objects: readonly string[] = [
  '{"__proto__":{"method":"ping"},"jsonrpc":"2.0","id":83}', '{"constructor":{"prototype":{"judge":true}},"jsonrpc":"2.0","id":84}',
];

/** Sends each text in a new conversation. The server may end it, but must then answer in a further conversation. */
async function bears(bench: Bench, revision: Revision, rule: string, code: number, sent: readonly string[]): Promise<void> {
  for (const text of sent) {
    const conversation = await bench.fresh(revision);
    const from = conversation.arrivals.length;
    const shown = text.length > 200 ? `${text.slice(0, 100)} ... (${text.length} characters)` : text;
    // A server that refuses the size may close the connection before it has read everything.
    await conversation.sendText(text).catch(() => undefined);
    const next = await goesOn(conversation);
    const error = conversation.arrivals.slice(from).find(({ json }) => isObject(json) && isObject(json['error']));
    const got = error && isObject(error.json) && isObject(error.json['error']) ? error.json['error']['code'] : undefined;
    void conversation.close();
    if (next.kind === 'result') {
      if (got === code) conversation.check(rule, true, '', next);
      continue;
    }
    const again = await goesOn(await bench.fresh(revision));
    if (again.kind !== 'result') return conversation.check(rule, false, 'that the server goes on, and answers a ping', again, shown);
    // The server ended one conversation and serves the next. Whether that counts as going on can be disputed.
    conversation.dispute(rule, 'that the server goes on, and answers a ping in the same conversation', 'the conversation ended; a new one was answered', shown);
  }
}

/** Bounded in size, and only with `hostile`. */
export const hostileProbes: readonly ServerProbe[] = [
  {
    name: 'not JSON, cut, nested and large', rules: ['form-parse-error'], era: 'legacy', hostile: true, slow: true,
    run: (bench, revision) => bears(bench, revision, 'form-parse-error', -32700, texts),
  },
  {
    name: 'members that an object inherits', rules: ['form-invalid-request'], era: 'legacy', hostile: true, slow: true,
    run: (bench, revision) => bears(bench, revision, 'form-invalid-request', -32600, objects),
  },
  {
    // 2025-11-25 basic/transports: messages are UTF-8. It is not said how a server refuses other bytes: a dispute.
    name: 'bytes that are not UTF-8', rules: ['base-60'], over: 'http', hostile: true, slow: true,
    async run(bench, revision) {
      const conversation = await bench.main(revision);
      const method = conversation.modern ? 'server/discover' : 'ping';
      const [before, after] = JSON.stringify({
        jsonrpc: '2.0', id: 'judge-bytes', method,
        params: { _meta: { 'com.example/judge': '#', ...conversation.modern && { [versionKey]: revision.version, [clientInfoKey]: judgeInfo, [capabilitiesKey]: {} } } },
      }).split('#');
      const encoder = new TextEncoder();
      const bytes = new Uint8Array([...encoder.encode(before), 0xff, 0xfe, ...encoder.encode(after)]);
      const answer = await conversation.askText({ id: 'judge-bytes', method, params: {}, text: `${before}\ufffd\ufffd${after}` }, { bytes, headers: { ...conversation.modern && { 'mcp-method': method } } });
      if (answer.kind === 'result') conversation.dispute('base-60', 'an error: the bytes ff fe are not UTF-8', answer);
      else if (answer.kind === 'error' || answer.reply && answer.reply.status >= 400) conversation.check('base-60', true, '', answer);
    },
  },
];
