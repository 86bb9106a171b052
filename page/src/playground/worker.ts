import { messagePortTransport, serveMessagePort } from 'barewire/message-port';
import { compile } from 'barewire/schema';
import { createTravelServer } from '../../../dist/examples/travel/server.js';
import { openTab, PageHost } from '../host/index.ts';
import type { OpenHooks, Tab } from '../host/index.ts';
import { formats } from './formats.ts';

/** The worker of the playground: client and server of barewire, with a `MessagePort` between them. */
export function serveWorker(version: string): void {
  const page = new PageHost({
    carrier: 'playground',
    version,
    servers: { travel: { command: 'travel', roots: [{ uri: 'file:///trip', name: 'A folder in memory' }] } },
    target: () => ({ kind: 'worker', title: 'Travel agency, in this page' }),
    compile: (schema) => compile(schema, { formats }),
    open: openTravel,
    limits: { maxWireBytes: 64 * 1024 * 1024 },
  });
  let tab: Tab | undefined;
  addEventListener('message', ({ data }: MessageEvent<string>) => {
    // The first text is the hello of the page that made this worker.
    if (tab) tab.receive(data);
    else tab = openTab(page, 'playground', (text) => postMessage(text));
  });
}

/** A new session with a server of its own. */
function openTravel(_name: string, _config: unknown, { trace, onStderr }: OpenHooks): ReturnType<typeof messagePortTransport> {
  const { port1, port2 } = new MessageChannel();
  serveMessagePort(createTravelServer({ onError: (error) => onStderr(error.message) }), port2);
  return messagePortTransport(port1, { trace });
}
