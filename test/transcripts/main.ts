import { serveStdio } from '../../src/transport/stdio/index.ts';
import { fixture } from './server.ts';

serveStdio(fixture(process.argv[2] ?? ''));
