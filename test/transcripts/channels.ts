import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { decode } from '../../src/jsonrpc/codec.ts';
import { inbox } from './play.ts';
import type { Channel } from './play.ts';
import { fixture } from './server.ts';

/** A fixture in this process: text in, text out, each message in a turn of its own. */
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

/** A process that serves one fixture after the other over its standard streams. */
export interface Host {
  open(name: string): Promise<Channel>;
  /** Ends its input, and demands that it ends by itself, in order. */
  close(): Promise<void>;
}

export function stdioHost(): Host {
  const main = fileURLToPath(new URL('main.js', import.meta.url));
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
