import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { decode } from '../../src/jsonrpc/message.ts';
import type { Decoded } from '../../src/jsonrpc/message.ts';
import { findRevision, revisions } from '../../src/protocol/revisions.ts';
import { httpTransport } from '../../src/transport/http/fetch/index.ts';
import { inbox } from './play.ts';
import type { Channel } from './play.ts';
import { fixture } from './server.ts';
import { serveHttp } from '../transport/http/engine.ts';
import { programAt } from '../program-at.ts';

/** A fixture in this process that takes and returns text, each message in a separate turn. */
export async function memoryChannel(name: string): Promise<Channel> {
  const { put, next } = inbox();
  const send = (text: string | undefined): void => {
    if (text !== undefined) put(text);
  };
  const peer = fixture(name).connect({ send, answer: send }, { modern: true });
  let last = Promise.resolve();
  return {
    send(text) {
      last = last.then(() => peer.receive(decode(text)));
    },
    next,
    async close() {
      await last;
      peer.close();
    },
  };
}

/** A process that serves the fixtures in turn over its standard streams. */
export interface Host {
  open(name: string): Promise<Channel>;
  /** Closes its stdin; the process must then exit by itself with code 0. */
  close(): Promise<void>;
}

export function stdioHost(): Host {
  const main = programAt('test/transcripts/main.js');
  const child = spawn(process.execPath, [main], { stdio: ['pipe', 'pipe', 'pipe', 'ipc'] });
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error('the process has no streams');
  const exited = once(child, 'exit') as Promise<[number | null]>;
  let complaints = '';
  stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  let current = inbox();
  createInterface({ input: stdout })
    .on('line', (line) => current.put(line))
    .on('close', () => current.end(`the server is gone: ${complaints}`));
  return {
    async open(name) {
      child.send(name);
      await once(child, 'message');
      const { next } = current = inbox();
      return {
        send: (text) => stdin.write(`${text}\n`),
        next,
        close: async () => {},
      };
    },
    async close() {
      child.disconnect();
      stdin.end();
      const [code] = await exited;
      if (code !== 0) throw new Error(`the server ended with ${code}: ${complaints}`);
    },
  };
}

/** A fixture behind HTTP. Its messages may be spread over several streams, so only the order within each stream is certain. */
export async function httpChannel(name: string, revision: string): Promise<Channel> {
  const served = await serveHttp(fixture(name));
  // The oldest clients support only HTTP+SSE.
  const transport = httpTransport(revision === '2024-11-05' ? served.url.replace('/mcp', '/sse') : served.url);
  const { put, end, next } = inbox();
  const agreed = (version: unknown): void => {
    const found = findRevision(revisions, version);
    if (found) transport.agreed?.(found);
  };
  const text = (decoded: Decoded): string => JSON.stringify(
    decoded.kind === 'batch' ? decoded.values
    : decoded.kind === 'refusal' ? { jsonrpc: '2.0', id: decoded.id, error: decoded.error } : decoded.message);
  await transport.open({
    message(decoded) {
      if (decoded.kind === 'success') agreed(decoded.message.result['protocolVersion']);
      put(text(decoded));
    },
    failed: (_id, error) => end(`a request failed: ${error}`),
    closed: end,
    error: (error) => end(`something failed: ${error}`),
  });
  if (findRevision(revisions, revision)?.era === 'modern') agreed(revision);
  return {
    send(sent) {
      const message = JSON.parse(sent) as { method?: string };
      transport.send(sent, message.method === undefined ? undefined : message);
    },
    next,
    anyOrder: true,
    async close() {
      await transport.close();
      await served.close({ drainMs: 0 });
    },
  };
}
