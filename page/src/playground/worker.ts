import { judgeServer } from 'barewire/judge';
import { messagePortTransport, serveMessagePort } from 'barewire/message-port';
import { compile } from 'barewire/schema';
import { createTravelServer } from '../../../dist/examples/travel/server.js';
import { TaskClient } from 'barewire/tasks';
import { openTab, PageHost, Tasks } from '../host/index.ts';
import type { OpenHooks, Tab } from '../host/index.ts';
import { formats } from './formats.ts';
import { addGuide } from './guide.ts';

/** The worker of the playground: client and server of barewire, connected by a `MessagePort`. */
export function serveWorker(version: string): void {
  const page = new PageHost({
    carrier: 'playground',
    version,
    servers: { travel: { command: 'travel', roots: [{ uri: 'file:///trip', name: 'A folder in memory' }] } },
    target: () => ({ kind: 'worker', title: 'Travel agency, in this page' }),
    compile: (schema) => compile(schema, { formats }),
    client: (info, options) => new TaskClient(info, options),
    tasks: (onChange, onRemoved) => new Tasks(onChange, onRemoved),
    open: openTravel,
    // Always quick: the build omits the other rules from the file.
    judge: ({ name, open }, _quick, onStep) => judgeServer({ name, open }, { quick: true, onStep, compile: (schema) => compile(schema, { formats }) }),
    limits: { maxWireBytes: 64 * 1024 * 1024 },
  });
  let tab: Tab | undefined;
  addEventListener('message', ({ data }: MessageEvent<string>) => {
    // The first text is the hello of the page that made this worker.
    if (tab) tab.receive(data);
    else tab = openTab(page, 'playground', (text) => postMessage(text));
  });
}

/** One server for all sessions: tasks outlive the session that began them. */
const travel = (() => {
  let made: ReturnType<typeof createTravelServer> | undefined;
  let tell: OpenHooks['onStderr'] = () => {};
  return (onStderr: OpenHooks['onStderr']): ReturnType<typeof createTravelServer> => {
    tell = onStderr;
    if (!made) addGuide(made = createTravelServer({ onError: (error) => tell(error.message) }));
    return made;
  };
})();

/** Opens a new session. */
function openTravel(_name: string, _config: unknown, { trace, onStderr }: OpenHooks): ReturnType<typeof messagePortTransport> {
  const { port1, port2 } = new MessageChannel();
  serveMessagePort(travel(onStderr), port2);
  return messagePortTransport(port1, { trace });
}
