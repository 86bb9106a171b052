import { serveStdio } from '../../src/transport/stdio/index.ts';
import type { StdioServing } from '../../src/transport/stdio/index.ts';
import { fixture } from './server.ts';

// Serves the fixtures that the parent process names, in turn, over its standard streams.
let serving: StdioServing | undefined;

process.on('message', (feature) => {
  void (async () => {
    await serving?.close();
    serving = serveStdio(fixture(String(feature)));
    // The previous serving has paused it.
    process.stdin.resume();
    process.send?.('ready');
  })();
});
