// What is mutated, and which tests must notice: those that start no process and wait for no clock.
const transcripts = ['test/transcripts/transcripts', 'test/transcripts/clients'];
export const folders = {
  jsonrpc: { tests: ['test/jsonrpc/*', 'test/transport/memory', 'test/server/calls', ...transcripts] },
  protocol: { tests: ['test/protocol/*', 'test/schema/elicitation*', 'test/server/registration', 'test/server/questions', 'test/client/questions', ...transcripts] },
  schema: { tests: ['test/schema/*'] },
  server: { tests: ['test/server/*', 'test/extension', ...transcripts] },
  client: { tests: ['test/client/*', 'test/protocol/pinging', 'test/extension', ...transcripts] },
  transport: { tests: ['test/transport/memory', 'test/transport/message-port*', 'test/transport/sse', 'test/transport/tap*', 'test/transport/stdio/reading', 'test/transport/stdio/scripted-client', 'test/transport/stdio/serve', 'test/transport/stdio/serve-own', 'test/transport/stdio/windows', 'test/transport/stdio/writer', 'test/transport/http/*', 'test/transport/http-client/*', 'test/transcripts/http', 'test/fleet/pairs', ...transcripts] },
  oauth: { tests: ['test/oauth-client/*', 'test/oauth-resource/*', 'test/transport/http/authorization', 'test/transport/http-client/authorization'] },
  tasks: { tests: ['test/tasks/*', 'test/requirements/tasks', 'test/protocol/task-lifecycle', ...transcripts] },
  fleet: { tests: ['test/fleet/*'] },
  host: { tests: ['test/host/*'] },
  explain: { tests: ['test/explain/*'] },
  transcript: { tests: ['test/transcript/*', 'test/transport/tap*', ...transcripts] },
  doctor: { tests: ['test/doctor/*'] },
};

/** Suites of those files that start processes, or play over HTTP once more what they play over memory. */
export const without = [
  'transcripts over stdio',
  'transcripts over HTTP, and over HTTP+SSE for 2024-11-05',
  'a transcript that is wrong anywhere does not play',
];
