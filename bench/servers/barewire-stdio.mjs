import { serveStdio } from 'barewire/stdio';
import { build } from './barewire.mjs';

serveStdio(build());
