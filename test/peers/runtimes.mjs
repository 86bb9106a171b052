// Where the conformance fixture can be served.
import { at, start } from './processes.mjs';

export const runtimes = [
  { name: 'node', start: () => start(process.execPath, [at('dist/test/peers/everything/main.js'), '--port', '0']) },
];
