// In a separate process: it sets the engine for the HTTP tests.
// Runs the HTTP tests again with barewire's HTTP/1.1 on both sides. npm test runs those that are nearest to the wire.
import { everyNth } from '../every-nth.ts';

process.env['BAREWIRE_ENGINE'] = 'http1';

await import('../transport/http/faults.test.ts');
await import('../transport/http/guard.test.ts');
await import('../transport/http/listening.test.ts');
await import('../transport/http/modern.test.ts');
if (everyNth(2) === 1) {
  await import('../transport/http-client/node-sender.test.ts');
  await import('../transport/http/health.test.ts');
  await import('../transport/http/serve-close.test.ts');
  await import('../transport/http/authorization.test.ts');
  await import('../transport/http/closing.test.ts');
  await import('../transport/http/closing-questions.test.ts');
  await import('../transport/http/hostile-bodies.test.ts');
  await import('../transport/http/hostile-hooks.test.ts');
  await import('../transport/http/rate-limit.test.ts');
  await import('../transport/http/tool-headers.test.ts');
  await import('../transport/http/http-sse.test.ts');
  await import('../transport/http/resumption.test.ts');
  await import('../transport/http/sessions.test.ts');
  await import('../transport/http/status.test.ts');
  await import('../transport/http/trace.test.ts');
  await import('../transport/http/turns.test.ts');
  await import('../transcripts/http.test.ts');
  await import('../requirements/http.test.ts');
}
