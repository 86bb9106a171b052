import { connect } from 'node:net';
import { requestDecoder } from '../../../dist/src/transport/http1/request-decoder.js';
import { responseDecoder } from '../../../dist/src/transport/http1/response-decoder.js';
import { octetsOf, readAll } from '../../../dist/test/http1/reading.js';

/** What the codec accepts of these bytes, and whether it then refuses. */
export function accepted(bytes) {
  const found = [];
  const said = readAll(requestDecoder(), [octetsOf(bytes)], (head) => (found.push({ method: head.method, path: head.path, persists: head.persists }), ''));
  const accepts = said.filter((line) => /^ "/.test(line) && !line.endsWith('…"')).map((line, i) => ({ ...found[i], body: JSON.parse(line.slice(1)) }));
  return { accepts, refuses: said.at(-1)?.startsWith('!') === true };
}

/** Milliseconds without an octet after which a peer is said to wait for more. */
const patienceMs = 3000;

/** Sends bytes, ends, and reads the responses to the end. `how`: how it ended. */
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
          // What a peer does not find in time it waits for.
          if (status === 408 || status === 504) return end('waits');
          if (status >= 300) return end(`refused ${status}`);
          found.push(Buffer.concat(body).toString());
          // All that was sent is answered. A half-closed client looks to http1 as if it had left, so this end comes last.
          if (at === methods.length) socket.end();
        }
      }
    });
    socket.on('end', () => end('ended'));
    socket.on('error', () => end('reset'));
    socket.write(Buffer.from(bytes, 'latin1'));
  });
}

/** How a peer reads other than `ours`; undefined: it reads the same, or refuses. */
async function difference(peer, port, bytes, ours, refuses) {
  const { found, how } = await tell(port, bytes, ours.map(({ method }) => method));
  for (const [i, text] of found.entries()) {
    const mine = ours[i];
    if (mine === undefined) {
      // What is refused here may be taken there. Caddy answers without content where it has not read the end of a request.
      if (!refuses && text !== '') return { what: `answers ${found.length} requests, and here are ${ours.length}` };
      break;
    }
    // HEAD is answered without saying what was read, and `OPTIONS *` by Go itself.
    if (mine.method === 'HEAD' || text === '') continue;
    const theirs = JSON.parse(text);
    if (theirs.method !== mine.method || theirs.body !== mine.body || (mine.path === '/canary') !== (theirs.path === '/canary')) {
      return { what: `request ${i + 1}: ${JSON.stringify(theirs)} and not ${JSON.stringify(mine)}` };
    }
  }
  const last = ours.findIndex(({ persists }) => !persists);
  const expected = last < 0 ? ours.length : last + 1;
  // node:http 20 answers a request with `Upgrade`, and reads nothing of its connection any more.
  if (/^upgrade *:/im.test(bytes) && peer === 'node:http') return undefined;
  if (found.length < expected && (how === 'waits' || how.startsWith('malformed'))) return { what: `after ${found.length} of ${expected} it ${how}`, waits: how === 'waits' };
  return undefined;
}

/** Compares what each server reads of bytes that are accepted here. Returns whether they are. */
export async function compareRequest(servers, name, bytes, differ) {
  const { accepts, refuses } = accepted(bytes);
  // A body that has not come to its end has nothing to be compared.
  if (accepts.length === 0) return false;
  await Promise.all(Object.entries(servers).map(async ([peer, { port }]) => {
    let found = await difference(peer, port, bytes, accepts, refuses);
    // The machine may be busy.
    if (found?.waits) found = await difference(peer, port, bytes, accepts, refuses);
    if (found) differ(peer, name, bytes, found.what);
  }));
  return true;
}
