import { messagesVersion } from '../messages.ts';

addEventListener('message', ({ data }: MessageEvent<string>) => {
  const message = JSON.parse(data) as { type: string };
  if (message.type === 'hello') {
    postMessage(JSON.stringify({ type: 'welcome', version: messagesVersion, carrier: 'playground', barewire: '0.1.0' }));
  }
});
