import { errorMessage } from '../../jsonrpc/internal-exports.ts';
import type { Revision } from '../../protocol/index.ts';
import { handshake } from '../bench.ts';
import type { Bench } from '../bench.ts';
import { shownHead } from '../http-demand.ts';

/** The rules that are judged if no revision could be opened at an address. */
export const unopenedRules: readonly string[] = ['streamable-http-1', 'transports-15', 'transports-16', 'transports-17', 'transports-18'];

/** Nothing is at the address, or it does not accept the method. */
const refuses = (status: number | undefined): boolean => status === 404 || status === 405;

/**
 * Judges an address at which neither Streamable HTTP (`bench`) nor HTTP+SSE (`older`) could be opened. It may belong to something else, so
 * only the server's own statements count.
 */
export async function judgeUnopened(bench: Bench, older: Bench, wanted: readonly Revision[]): Promise<void> {
  if (!unopenedRules.some((id) => bench.ledger.wants(id))) return;
  const modern = wanted.find(({ era }) => era === 'modern');
  if (modern && !bench.server.http?.sse) await refusedPost(bench, modern);
  const oldest = wanted.find(({ place }) => place === 0);
  if (oldest) await halfOpened(bench, older, oldest);
}

/** 2026-07-28 basic/transports/streamable-http: an endpoint whose Allow header has POST, but which refuses POST with 405. */
async function refusedPost(bench: Bench, revision: Revision): Promise<void> {
  const conversation = await bench.raw(revision);
  const { asked, reply } = await conversation.ask('server/discover');
  const allowed = (reply?.headers['allow'] ?? '').split(',').map((one) => one.trim().toUpperCase());
  if (reply?.status === 405 && allowed.includes('POST')) conversation.check('streamable-http-1', false, 'an endpoint that takes POST, as its header Allow says', `${shownHead(reply)}, Allow: ${reply.headers['allow']}`, asked.text);
}

/** 2024-11-05 basic/transports#http-with-sse: an event stream whose event `endpoint` has the address for POST requests. */
async function halfOpened(bench: Bench, older: Bench, revision: Revision): Promise<void> {
  const conversation = older.begun(revision);
  const before = older.openings.length;
  const why = await conversation.open().then(() => undefined, errorMessage);
  const opening = older.openings[before];
  // No response came.
  if (!opening) return;
  const { status, type, first, endpoint } = opening;
  const shown = `HTTP ${status} ${type}\n${first}`;
  if (endpoint && why === undefined) {
    const answer = await handshake(conversation);
    // The stream is open, so its endpoint must still exist.
    const [, refused] = /^HTTP (\d+)$/.exec(answer.came) ?? [];
    if (conversation.gone === undefined && refuses(Number(refused))) conversation.check(['transports-15', 'transports-16'], false, `that ${endpoint.pathname}, which the event endpoint names, takes POST`, answer);
    return;
  }
  const said = bench.server.http?.sse === true;
  if (status < 300 && type.startsWith('text/event-stream')) {
    // An endpoint of another origin is an endpoint too.
    if (/^event: ?endpoint$/m.test(first)) return;
    const posted = await (await bench.raw(revision)).ask('initialize', { protocolVersion: revision.version, capabilities: {}, clientInfo: { name: 'barewire-judge', version: '1' } });
    // If the address takes POST, the stream belongs to another transport.
    if (!said && !refuses(posted.reply?.status)) return;
    // Comments are not events, and no sentence says that `endpoint` is the first event.
    if (first.replace(/^(?::.*\n|\n)+/, '') === '') conversation.check('transports-18', false, 'the event endpoint, with the address to post to', `${shown}(no event)`, 'GET');
    else conversation.dispute('transports-18', 'the event endpoint first, with the address to post to', shown, 'GET');
  } else if (said && (refuses(status) || status < 300)) {
    // Only the user says that this is HTTP+SSE; nothing else shows it.
    conversation.check('transports-17', false, 'an event stream: this is an address of HTTP+SSE', shown, 'GET');
  }
}
