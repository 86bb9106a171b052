import { messagesVersion } from '../messages.ts';
import type { Connect, Hello, HostMessage } from '../messages.ts';
import { start } from '../ui/start.ts';
import { playgroundParts } from './parts.ts';

/** Shows the playground. The worker runs `script`, the text of this same script: a page opened from a file may not load another. */
export function showPlayground(root: HTMLElement, script: string): void {
  const connect: Connect = (receiver) => {
    const worker = new Worker(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })));
    worker.addEventListener('message', ({ data }: MessageEvent<string>) => receiver.message(JSON.parse(data) as HostMessage));
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
