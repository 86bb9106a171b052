// Shows a transcript from a file as a separate server on the wire. It is only shown: nothing of it is sent, and no address in it is
// opened.
import { parseTranscript } from 'barewire/transcript';
import type { Line } from 'barewire/transcript';
import { PageError } from './failure.ts';
import type { PageHost } from './page-host.ts';
import { parsed } from './wire-log.ts';

/** The most messages of one file, so that it does not push out all other entries. */
const maxMessages = 20_000;
const maxName = 60;

/** Puts the messages of a recording on the wire. Returns the name that they have there; no server has this name. */
export function openFile(page: PageHost, id: string): { readonly server: string; readonly messages: number } {
  const text = page.recordings.text(id);
  const { lines } = parseTranscript(text);
  if (lines.length === 0) throw new PageError('bad-transcript', 'the file has no message: each begins with --> or <--');
  if (lines.length > maxMessages) throw new PageError('bad-transcript', `the file has ${lines.length} messages, and at most ${maxMessages} are shown`);
  const title = page.recordings.views.find((one) => one.id === id)?.title ?? '';
  const server = freeName(page, `file ${title.replaceAll(/[^\p{L}\p{N} ._-]+/gu, ' ').trim().slice(0, maxName)}`);
  const source = text.split('\n');
  page.wire.mark(server, 1, 'opened', 'Read from a file. Nothing of it was sent.');
  let revision: string | undefined;
  for (const line of lines) {
    const said = bodyOf(source, line);
    revision = revisionIn(said) ?? revision;
    page.wire.addRead(server, line.from === 'client' ? 'sent' : 'received', said, revision);
  }
  return { server, messages: lines.length };
}

/** The text of a message with its original tokens; `json` of a line holds the parsed value. */
function bodyOf(source: readonly string[], { at }: Line): string {
  let body = (source[at - 1] ?? '').slice(4);
  for (let next = at; /^ +\S/.test(source[next] ?? ''); next++) body += ` ${source[next]?.trim() ?? ''}`;
  return body.trim();
}

/** The revision that a handshake agrees on, or that a modern request names. */
function revisionIn(text: string): string | undefined {
  const found = /"(?:protocolVersion|io\.modelcontextprotocol\/protocolVersion)"/.test(text) ? Object(parsed(text)) as Bag : {};
  const { result, params } = found;
  const named = bag(result)['protocolVersion'] ?? bag(bag(params)['_meta'])['io.modelcontextprotocol/protocolVersion'];
  return typeof named === 'string' && /^\d{4}-\d\d-\d\d$/.test(named) ? named : undefined;
}

type Bag = Readonly<Record<string, unknown>>;
const bag = (value: unknown): Bag => Object(value) as Bag;

function freeName(page: PageHost, name: string): string {
  let free = name;
  for (let count = 2; page.entries.has(free) || page.opened.has(free); count++) free = `${name} ${count}`;
  page.opened.add(free);
  return free;
}
