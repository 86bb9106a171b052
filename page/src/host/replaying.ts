import { revisions } from 'barewire/protocol';
import { recorder, Replay } from 'barewire/transcript';
import type { Transcript } from 'barewire/transcript';
import type { ClientTransport, Outgoing } from 'barewire/client';
import type { HttpTrace } from 'barewire/fetch';
import type { ReplayView } from '../messages.ts';
import { parsed } from './wire-log.ts';

/** How long to wait for an answer during a replay. */
const silenceMs = 30_000;

/** Sends the client's messages of a transcript to a server, over a separate connection, and compares the answers. */
export async function playAgainst(
  transcript: Transcript, open: (trace: HttpTrace) => ClientTransport, ignored: readonly string[], signal: AbortSignal,
): Promise<ReplayView> {
  const replay = new Replay(transcript, 'client', { ignored });
  const came = recorder();
  const lines: string[] = [];
  let sent = 0;
  let over: () => void = () => {};
  const done = new Promise<void>((resolve) => (over = resolve));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (why: string): void => {
    replay.end(why);
    over();
  };
  const transport = open((entry) => {
    if (entry.kind === 'http' || entry.kind === 'event') return;
    const { direction, text } = entry;
    lines.push(came.add(direction === 'sent' ? 'client' : 'server', text));
    if (direction !== 'received') return;
    const { result } = bag(parsed(text));
    const agreed = revisions.find(({ version }) => version === bag(result)['protocolVersion']);
    // HTTP then sends the revision in a header.
    if (agreed) transport.agreed?.(agreed);
    go(replay.receive(text));
  });
  function go(texts: readonly string[]): void {
    clearTimeout(timer);
    for (const text of texts) {
      sent++;
      transport.send(text, outgoing(text));
    }
    if (replay.waitsFor === undefined) over();
    else timer = setTimeout(() => end(`nothing came for ${silenceMs / 1000} s`), silenceMs);
  }
  const stop = (): void => end('the person stopped it');
  signal.addEventListener('abort', stop, { once: true });
  try {
    await transport.open({ message: () => {}, failed: (_id, error) => end(error.message), closed: end, error: () => {} });
    go(replay.begin());
    await done;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    await transport.close();
  }
  return { played: sent, differences: replay.differences, transcript: lines.join('') };
}

/** The data for the transport; undefined if the text is neither a request nor a notification. */
function outgoing(text: string): Outgoing | undefined {
  const { id, method, params } = bag(parsed(text));
  if (typeof method !== 'string') return undefined;
  return { method, params: bag(params), ...(typeof id === 'string' || typeof id === 'number') && { id } };
}

const bag = (value: unknown): Readonly<Record<string, unknown>> =>
  (typeof value === 'object' && value !== null && !Array.isArray(value) ? value as Readonly<Record<string, unknown>> : {});
