import { serveStdio } from '../../src/transport/stdio/index.ts';
import type { StdioServing } from '../../src/transport/stdio/index.ts';
import { fixture } from './server.ts';

// Serves over its standard streams what its parent names, one fixture after the other.
let serving: StdioServing | undefined;

process.on('message', (feature) => {
  void (async () => {
    await serving?.close();
    serving = serveStdio(fixture(String(feature)));
    // The last serving has paused it.
    process.stdin.resume();
    process.send?.('ready');
  })();
});
