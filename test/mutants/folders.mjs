// What is mutated, and which tests must notice: those that start no process and wait for no clock.
const transcripts = ['test/transcripts/transcripts', 'test/transcripts/clients'];
export const folders = {
  jsonrpc: { tests: ['test/jsonrpc/*', 'test/transport/memory', 'test/server/calls', ...transcripts] },
  protocol: { tests: ['test/protocol/*', 'test/schema/elicitation*', 'test/server/registration', 'test/server/questions', 'test/client/questions', ...transcripts] },
  schema: { tests: ['test/schema/*'] },
  server: { tests: ['test/server/*', 'test/extension', ...transcripts] },
  client: { tests: ['test/client/*', 'test/extension', ...transcripts] },
  transport: { tests: ['test/transport/memory', 'test/transport/message-port', 'test/transport/sse', 'test/transport/tap', 'test/transport/http/*', 'test/transport/http-client/*', 'test/transcripts/http', ...transcripts] },
};
