// The conformance fixture on Deno.
import { everything } from '../../../dist/test/peers/everything/fixture.js';
import { fetchHandler } from '../../../dist/src/transport/http/fetch/index.js';

const onListen = ({ port }) => console.log(`http://127.0.0.1:${port}/mcp`);
Deno.serve({ hostname: '127.0.0.1', port: 0, onListen }, fetchHandler(everything()));
