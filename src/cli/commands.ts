import type { Commands } from './command.ts';

/** The subcommands, in the order of the help. Each file is loaded only when it is used. */
export const commands: Commands = {
  tour: { about: 'shows a server at work, message by message', load: () => import('./commands/tour.ts') },
  doctor: { about: 'finds out why a server does not work', load: () => import('./commands/doctor.ts') },
  judge: { about: 'says which rules of the specification a server breaks', load: () => import('./commands/judge.ts') },
  list: { about: 'lists tools, resources and prompts', load: () => import('./commands/list.ts') },
  call: { about: 'calls a tool, with consent', load: () => import('./commands/call.ts') },
  read: { about: 'reads a resource', load: () => import('./commands/read.ts') },
  get: { about: 'gets a prompt', load: () => import('./commands/get.ts') },
  complete: { about: 'completes an argument of a prompt or template', load: () => import('./commands/complete.ts') },
  watch: { about: 'reports changes of resources and lists', load: () => import('./commands/watch.ts') },
  types: { about: 'writes tools and prompts as types for McpClient<Server>', load: () => import('./commands/types.ts') },
  trace: { about: 'runs between a host and a server, and explains messages', load: () => import('./commands/trace.ts') },
  record: { about: 'likewise, but writes the session as a transcript', load: () => import('./commands/record.ts') },
  replay: { about: 'plays a transcript, as a mock server or as a client', load: () => import('./commands/replay.ts') },
  host: { about: 'all configured servers at once, at a prompt', load: () => import('./commands/host.ts') },
  page: { about: 'the same in the browser: servers, messages, questions', load: () => import('./commands/page.ts') },
  learn: { about: 'the course: you write a client and a server, and each step is checked', load: () => import('./commands/learn.ts') },
  login: { about: 'logs in at a remote server', load: () => import('./commands/login.ts') },
  logout: { about: 'removes that login', load: async () => ({ command: (await import('./commands/login.ts')).logout }) },
  whoami: { about: 'shows the stored logins', load: async () => ({ command: (await import('./commands/login.ts')).whoami }) },
  log: { about: 'shows the activity log, and verifies it', load: () => import('./commands/log.ts') },
  pins: { about: 'shows changes of accepted tools, and accepts them', load: () => import('./commands/pins.ts') },
  lock: { about: 'writes or checks mcp.lock: digests of tools and prompts', load: () => import('./commands/lock.ts') },
  accept: { about: 'accepts a file of servers that came with a folder', load: () => import('./commands/accept.ts') },
  config: { about: 'adds, removes and imports servers in the configuration', load: () => import('./commands/config.ts') },
  install: { about: 'writes a server into the configuration of another host', load: () => import('./commands/install.ts') },
  completion: { about: 'writes the completion script for bash, zsh or fish', load: () => import('./commands/completion.ts') },
  serve: { about: 'serves the executables of a folder as tools', load: () => import('./commands/serve.ts') },
  bridge: { about: 'serves a server over another transport, in other revisions', load: () => import('./commands/bridge.ts') },
};

/** The help on one screen. */
export function overview(): string {
  const wide = Math.max(...Object.keys(commands).map((name) => name.length));
  return [
    'barewire: the Model Context Protocol in a terminal',
    '',
    '  barewire COMMAND [options] TARGET ...        see barewire help COMMAND',
    '  barewire [options] -- PROGRAM [ARGUMENTS]    the tour of a server',
    '',
    ...Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(wide)}  ${about}`),
    '',
    'TARGET is an address (http://…), a socket (unix:/…), a configured name, or a program after "--".',
    'Only tools that say they only read run without consent: see barewire call --help.',
    '  --json  lines of JSON, for scripts; --help  this, or the help of a command; --version  the version',
    'It ends with 0: success; 1: server or tool failed; 2: wrong usage; 3: no consent;',
    '4: not reached; 5: differs from the lock; 130: Ctrl-C.',
  ].join('\n');
}
