import { connect } from 'node:net';
import { requestDecoder } from '../../../dist/src/transport/http1/request-decoder.js';
import { responseDecoder } from '../../../dist/src/transport/http1/response-decoder.js';
import { octetsOf, readAll } from '../../../dist/test/http1/reading.js';

/** The requests that the codec accepts in these bytes, and whether it then refuses. */
export function accepted(bytes) {
  const found = [];
  const said = readAll(requestDecoder(), [octetsOf(bytes)], (head) => (found.push({ method: head.method, path: head.path, persists: head.persists }), ''));
  const accepts = said.filter((line) => /^ "/.test(line) && !line.endsWith('…"')).map((line, i) => ({ ...found[i], body: JSON.parse(line.slice(1)) }));
  return { accepts, refuses: said.at(-1)?.startsWith('!') === true };
}

/** Milliseconds without an octet after which a peer counts as waiting for more. */
const patienceMs = 3000;

/** Sends bytes, half-closes, and reads the responses to the end. `how`: how the connection ended. */
function tell(port, bytes, methods) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const found = [];
    let at = 0;
    let body = [];
    const decoder = responseDecoder(() => methods[at] ?? 'GET');
    const end = (how) => {
      socket.destroy();
      resolve({ found, how });
    };
    socket.setTimeout(patienceMs, () => end('waits'));
    socket.on('data', (chunk) => {
      let from = 0;
      for (let event = decoder.read(chunk, from); event !== 'more'; event = decoder.read(chunk, from)) {
        from = decoder.at;
        if (event === 'fault') return end(`malformed: ${decoder.refused.message}`);
        if (event === 'head') body = [];
        else if (event === 'body') body.push(decoder.body);
        else {
          const { status } = decoder.head;
          decoder.next();
          if (status < 200) continue;
          at++;
          // These statuses mean that the peer was waiting for more.
          if (status === 408 || status === 504) return end('waits');
          if (status >= 300) return end(`refused ${status}`);
          found.push(Buffer.concat(body).toString());
          // Everything was answered. To http1 a half-closed client looks disconnected, so half-close only now.
          if (at === methods.length) socket.end();
        }
      }
    });
    socket.on('end', () => end('ended'));
    socket.on('error', () => end('reset'));
    socket.write(Buffer.from(bytes, 'latin1'));
  });
}

/** How a peer reads the bytes differently from `ours`; undefined if it reads the same or refuses. */
async function difference(peer, port, bytes, ours, refuses) {
  const { found, how } = await tell(port, bytes, ours.map(({ method }) => method));
  for (const [i, text] of found.entries()) {
    const mine = ours[i];
    if (mine === undefined) {
      // A peer may accept what is refused here. Caddy answers without content if it has not read the end of a request.
      if (!refuses && text !== '') return { what: `answers ${found.length} requests, and here are ${ours.length}` };
      break;
    }
    // The response to HEAD has no content to compare, and Go itself answers `OPTIONS *`.
    if (mine.method === 'HEAD' || text === '') continue;
    const theirs = JSON.parse(text);
    if (theirs.method !== mine.method || theirs.body !== mine.body || (mine.path === '/canary') !== (theirs.path === '/canary')) {
      return { what: `request ${i + 1}: ${JSON.stringify(theirs)} and not ${JSON.stringify(mine)}` };
    }
  }
  const last = ours.findIndex(({ persists }) => !persists);
  const expected = last < 0 ? ours.length : last + 1;
  // node:http 20 answers a request with `Upgrade`, and then reads no more from its connection.
  if (/^upgrade *:/im.test(bytes) && peer === 'node:http') return undefined;
  if (found.length < expected && (how === 'waits' || how.startsWith('malformed'))) return { what: `after ${found.length} of ${expected} it ${how}`, waits: how === 'waits' };
  return undefined;
}

/** Compares how each server reads bytes that are accepted here. Returns whether they are accepted. */
export async function compareRequest(servers, name, bytes, differ) {
  const { accepts, refuses } = accepted(bytes);
  // An incomplete body cannot be compared.
  if (accepts.length === 0) return false;
  await Promise.all(Object.entries(servers).map(async ([peer, { port }]) => {
    let found = await difference(peer, port, bytes, accepts, refuses);
    // The machine may be busy: try again.
    if (found?.waits) found = await difference(peer, port, bytes, accepts, refuses);
    if (found) differ(peer, name, bytes, found.what);
  }));
  return true;
}
