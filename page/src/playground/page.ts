import { messagesVersion } from '../messages.ts';
import type { Connect, Hello, HostMessage } from '../messages.ts';
import { start } from '../ui/start.ts';

/** The text of the worker stands in the page: a file from a disk may not load another. */
function workerText(): string {
  return document.getElementById('worker')?.textContent ?? '';
}

const connect: Connect = (receiver) => {
  const url = URL.createObjectURL(new Blob([workerText()], { type: 'text/javascript' }));
  const worker = new Worker(url);
  worker.addEventListener('message', ({ data }: MessageEvent<string>) => receiver.message(JSON.parse(data) as HostMessage));
  worker.addEventListener('error', ({ message }) => receiver.closed(`the worker failed: ${message}`, true));
  const hello: Hello = { type: 'hello', token: '', version: messagesVersion, tab: 'playground' };
  worker.postMessage(JSON.stringify(hello));
  return {
    send: (message) => worker.postMessage(JSON.stringify(message)),
    close: () => worker.terminate(),
  };
};

const root = document.getElementById('page');
if (root) start(root, connect);
