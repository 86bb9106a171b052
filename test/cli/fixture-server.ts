// The server of fixture.ts over pipes, in a separate process.
import { serveStdio } from '../../src/transport/stdio/index.ts';
import { fixture } from './fixture.ts';

serveStdio(fixture(() => process.exit(3)));
