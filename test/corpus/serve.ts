import { parseArgs } from 'node:util';
import { serveStdio } from '../../src/transport/stdio/index.ts';
import { fixture } from '../transcripts/server.ts';

// Serves a feature over stdio: node dist/test/corpus/serve.js FEATURE
const { positionals: [feature = ''] } = parseArgs({ allowPositionals: true });
serveStdio(fixture(feature));
