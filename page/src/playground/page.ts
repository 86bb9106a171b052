import { messagesVersion } from '../messages.ts';
import type { Connect, Hello, HostMessage } from '../messages.ts';
import { start } from '../ui/start.ts';
import { playgroundParts } from './parts.ts';

/** The file beside this one, and what allows it: the build writes the same word into the policy. */
const file = 'playground-more.js';
const nonce = 'playground';

/** Shows the playground. The worker runs `script`, which is this very script: a file from a disk may load no other. */
export function showPlayground(root: HTMLElement, script: string): void {
  playground.fetch = () => new Promise((resolve, reject) => {
    const more = Object.assign(document.createElement('script'), { nonce, src: file });
    more.addEventListener('load', () => resolve());
    more.addEventListener('error', () => reject(new Error(`${file} has to stand beside this page`)));
    document.head.append(more);
  });
  const connect: Connect = (receiver) => {
    const worker = new Worker(programUrl(script));
    worker.addEventListener('message', ({ data }: MessageEvent<string | null>) => {
      if (data !== null) receiver.message(JSON.parse(data) as HostMessage);
      // The worker cannot load the file itself.
      else playground.program().then((program) => worker.postMessage({ more: program }), (thrown: unknown) => worker.postMessage({ failed: String(thrown) }));
    });
    worker.addEventListener('error', ({ message }) => receiver.closed(`the worker failed: ${message}`, true));
    const hello: Hello = { type: 'hello', version: messagesVersion, tab: 'playground' };
    worker.postMessage(JSON.stringify(hello));
    return {
      send: (message) => worker.postMessage(JSON.stringify(message)),
      close: () => worker.terminate(),
    };
  };
  start(root, connect, playgroundParts);
}

const programUrl = (program: string): string => URL.createObjectURL(new Blob([program], { type: 'text/javascript' }));
