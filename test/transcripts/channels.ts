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

/** A fixture in a process of its own, over its standard streams. Closing it demands that it ends by itself, in order. */
export async function stdioChannel(name: string): Promise<Channel> {
  const main = fileURLToPath(new URL('main.js', import.meta.url));
  const child = spawn(process.execPath, [main, name], { stdio: ['pipe', 'pipe', 'pipe'] });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const { put, end, next } = inbox();
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  createInterface({ input: child.stdout }).on('line', put).on('close', () => end(`the server is gone: ${complaints}`));
  return {
    send: (text) => child.stdin.write(`${text}\n`),
    next,
    async close() {
      child.stdin.end();
      const [code] = await exited;
      if (code !== 0) throw new Error(`the server ended with ${code}: ${complaints}`);
    },
  };
}
