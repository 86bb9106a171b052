// The conformance fixture on Bun.
import { everything } from '../../../dist/test/peers/everything/fixture.js';
import { fetchHandler } from '../../../dist/src/transport/http/fetch/index.js';

// A stream may be silent for longer than Bun's default idle timeout.
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 0, fetch: fetchHandler(everything()) });
console.log(`http://127.0.0.1:${server.port}/mcp`);
