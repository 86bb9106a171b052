import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { executables } from '../../executables/index.ts';
import { visible } from '../../explain/safe-text.ts';
import { errorMessage } from '../../jsonrpc/internal-exports.ts';
import { McpServer } from '../../server/index.ts';
import { serveHttp } from '../../transport/http/node/index.ts';
import { serveStdio } from '../../transport/stdio/index.ts';
import type { Command } from '../command.ts';
import { numberOf, readVariable, readWords, refuseGiven } from '../client-options.ts';
import { endingSignal } from '../ending-signal.ts';
import { jsonLine } from '../json-line.ts';
import { exitCodes, WrongUse } from '../exit-codes.ts';

export const command: Command = {
  usage: '[options] FOLDER',
  about: 'Serves the executable files of a folder as tools, over stdin and stdout. THIS EXECUTES THEM, with --schema at once.',
  options: [
    ['--check', 'prints the tools and their limits, and ends'],
    ['--json', 'with --check: prints JSON'],
    ['--port N', 'serves over HTTP on 127.0.0.1 instead; 0 takes a free port'],
    ['--env NAME=VALUE', 'gives this to the tools, with PATH, HOME and LANG; may be given again'],
    ['--user NAME', 'runs the tools as this user (a name, or UID:GID), where barewire runs as root'],
    ['--time N', 'seconds that one run may take; 60'],
    ['--memory N', 'MiB of memory; 512'],
    ['--processes N', 'processes of a run; 64'],
  ],
  example: 'barewire serve ./tools',
  notes: [
    'FILE --schema       prints {"name", "description", "parameters"}; also "title", "annotations", "output"',
    'FILE                reads {"name", "params"} on stdin, prints {"result": …} or {"error": {"message", "code"}}',
    'while it runs       {"progress": {"progress", "total", "message"}}, {"log": {"level", "data"}}, {"partial": …},',
    '                    a line each; without a result, the partial results are the result',
    '{"ask": {"message", "schema"}}   asks the person; the answer is {"action", "content"}',
    '{"call": {"name", "params"}}     calls another tool; the answer is {"result"} or {"error"}',
    'The file is then run again, with all "answers" beside "params", in the order asked. With "stdin": "open" in its',
    'description it may keep running, and reads each answer as a line; it is run again only if the client must ask anew.',
    'pipeline.json: {"name", "parameters", "steps": [{"tool", "params"}]}, or several in an array; a string "$params.x",',
    '"$last" or "$steps.0.y" stands for that value.',
    'It serves regular files directly in the folder that neither their group nor others can write. Each run has its own',
    'process, folder and environment. Time and output are limited; memory and processes too, by a cgroup if possible, else by',
    'another user. Not limited: the network, the files that the user may read, the disk as a whole. Processes that a run',
    'starts end with it. What this machine cannot limit or end is in a warning at the start, and in --check.',
  ],
  async run(words, proc) {
    const read = readWords(words, {
      json: { type: 'boolean' }, check: { type: 'boolean' }, port: { type: 'string' }, env: { type: 'string', multiple: true }, user: { type: 'string' },
      time: { type: 'string' }, memory: { type: 'string' }, processes: { type: 'string' },
    }, true);
    if (!read.flag('check')) refuseGiven(read, ['json'], 'needs --check');
    else refuseGiven(read, ['port'], 'has no effect with --check, which serves nothing');
    const [folder, more] = read.rest;
    if (folder === undefined || more !== undefined) throw new WrongUse('serve takes one folder');
    if (!existsSync(folder)) throw new WrongUse(`there is no folder ${folder}`);
    const number = numberOf(read);
    const [port, time, memory, processes] = [
      number('port', 0, 65_535, true), number('time', 0.1, 86_400), number('memory', 16, 1_000_000), number('processes', 1, 100_000, true),
    ];
    const say = (line: string): void => void proc.stderr.write(`barewire: ${visible(line)}\n`);
    let problems = 0;
    const server = new McpServer({ name: basename(resolve(folder)), version: '1.0.0' });
    const tools = await executables(server, folder, {
      env: Object.fromEntries(read.texts('env').map(readVariable)),
      ...read.text('user') !== undefined && { user: read.text('user') ?? '' },
      watch: !read.flag('check'),
      limits: {
        ...time !== undefined && { runMs: time * 1000 },
        ...memory !== undefined && { maxMemoryBytes: Math.round(memory * 1024 * 1024) },
        ...processes !== undefined && { maxProcesses: processes },
      },
      onProblem(file, why) {
        problems += 1;
        say(`${file} is not served: ${why}`);
      },
      onStderr: (file, line) => say(`${file}: ${line}`),
    }).catch((thrown: unknown) => {
      throw new WrongUse(errorMessage(thrown));
    });
    try {
      if (read.flag('check')) {
        const { tools: names, confinement, warning } = tools;
        if (read.flag('json')) proc.stdout.write(`${jsonLine({ tools: names, confinement, warning })}\n`);
        else proc.stdout.write(`tools: ${names.join(', ') || 'none'}\nbounded by: ${confinement}\n${warning === undefined ? '' : `warning: ${warning}\n`}`);
        return problems === 0 ? exitCodes.good : exitCodes.failed;
      }
      say(`runs are bounded by ${tools.confinement}`);
      if (tools.warning !== undefined) say(`WARNING: ${tools.warning}`);
      if (port === undefined) {
        await serveStdio(server, { stdin: proc.stdin, stdout: proc.stdout }).closed;
        return exitCodes.good;
      }
      const http = await serveHttp(server, { port });
      say(`serving ${http.url}`);
      const code = await endingSignal(proc);
      await http.close();
      return code;
    } finally {
      await tools.close();
    }
  },
};
