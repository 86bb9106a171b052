import { serveStdio } from '../../../src/transport/stdio/index.ts';
import { behindServer } from './travel.ts';

serveStdio(behindServer(process.argv.slice(2)));
