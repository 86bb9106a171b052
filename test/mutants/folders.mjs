// The mutated folders, and the tests that must detect their mutants. `processes`: some tests start programs, so one mutant is tried at a
// time. `longest`: tests that need more milliseconds of processor time are not run. `kills`: its code ends processes that it looks for.
const transcripts = ['test/transcripts/transcripts', 'test/transcripts/clients'];
export const folders = {
  jsonrpc: { tests: ['test/jsonrpc/*', 'test/bounds/budget', 'test/transport/memory', 'test/server/calls', ...transcripts] },
  protocol: { tests: ['test/protocol/*', 'test/schema/elicitation*', 'test/server/registration', 'test/server/questions', 'test/client/questions', 'test/client/malformed-messages', 'test/observe', ...transcripts] },
  schema: { tests: ['test/schema/*'] },
  server: { tests: ['test/server/*', 'test/extension', 'test/observe', ...transcripts] },
  client: { tests: ['test/client/*', 'test/protocol/pinging', 'test/extension', ...transcripts] },
  transport: { processes: true, tests: ['test/transport/*', 'test/transport/kit/*', 'test/http1/*', 'test/serial/*', 'test/mqtt/*', 'test/transport/stdio/reading', 'test/transport/stdio/scripted-client', 'test/transport/stdio/serve', 'test/transport/stdio/serve-own', 'test/transport/stdio/windows', 'test/transport/stdio/writer', 'test/transport/http/*', 'test/transport/http-client/*', 'test/transcripts/http', 'test/fleet/pairs', 'test/listeners/guarded', ...transcripts] },
  bounds: { tests: ['test/bounds/*', 'test/clock/manual-clock', 'test/jsonrpc/*', 'test/protocol/pinging', 'test/protocol/progress', 'test/client/*', 'test/server/parts', 'test/options/*', 'test/transport/memory', 'test/transport/stdio/reading', 'test/transport/stdio/serve', 'test/transport/http/rate-limit', 'test/transport/http/faults', 'test/transport/http/turns'] },
  oauth: { processes: true, tests: ['test/oauth-client/*', 'test/oauth-resource/*', 'test/transport/http/authorization', 'test/transport/http-client/authorization', 'test/cli/login'] },
  tasks: { processes: true, tests: ['test/tasks/*', 'test/requirements/tasks', 'test/protocol/task-lifecycle', 'test/server/otherwise', ...transcripts] },
  fleet: { processes: true, tests: ['test/fleet/*', 'test/transport/http/health'] },
  apps: { processes: true, tests: ['test/apps/*', 'test/host/apps*'] },
  judge: { processes: true, longest: 6_000, tests: ['test/judge/*'] },
  skills: { processes: true, tests: ['test/skills/*', 'test/host/skills', 'test/host/digest', 'test/cli/skills'] },
  host: { processes: true, tests: ['test/host/*', 'test/cli/consent', 'test/cli/form', 'test/cli/frames', 'test/cli/host', 'test/cli/lock', 'test/cli/pipe'] },
  executables: { processes: true, kills: true, longest: 6_000, tests: ['test/executables/*', 'test/cli/folder', 'test/cli/serve'] },
  explain: { processes: true, tests: ['test/explain/*', 'test/host/frame', 'test/cli/commands', 'test/cli/form', 'test/cli/frames', 'test/cli/pipe', 'test/cli/terminal'] },
  transcript: { processes: true, tests: ['test/transcript/*', 'test/transport/tap*', 'test/cli/http-relay', 'test/cli/transcript', 'test/corpus/corpus', 'test/specification/transcripts', ...transcripts] },
  doctor: { processes: true, tests: ['test/doctor/*'] },
  cli: { processes: true, tests: ['test/cli/*', 'test/cli/bridge/*', 'test/transport/http/redact', 'test/judge/login', 'test/judge/unopened'] },
};

/**
 * Tests that are not run: one reads the source texts, one looks for the page next to the published command, and one waits until everything
 * that the tests of this process left in the heap is gone.
 */
export const notAsked = [
  'test/cli/commands each part of the command that says a version beside its name takes it from one place',
  // The command in the copy contains every mutant, so it is longer than the published one.
  'test/cli/start --help loads no subcommand: a few kilobytes',
  'test/cli/page page: the code of a folder is not run; the package belongs to the installation',
  'test/fleet/stored-limits of a client that has left for good nothing is kept',
];

/** Suites of those files that run over stdio, or repeat over HTTP what also runs in memory. */
export const without = [
  'transcripts over stdio',
  'transcripts over HTTP, and over HTTP+SSE for 2024-11-05',
  'a transcript that is wrong anywhere does not play',
];
