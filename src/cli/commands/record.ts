import { visible } from '../../explain/safe-text.ts';
import { httpRecorder, recorder } from '../../transcript/index.ts';
import type { Command } from '../command.ts';
import { readClientWords, readWords, refuseGiven, targetHelp, targetOptions } from '../client-options.ts';
import { errorMessage } from '../../jsonrpc/internal-exports.ts';
import { openEntries } from '../entries-file.ts';
import { exitCodes, WrongUse } from '../exit-codes.ts';
import { atProgram } from '../program-words.ts';
import { relay } from '../relay.ts';
import { reportName } from '../report-name.ts';
import { isHttp } from '../socket-target.ts';
import { before } from './trace.ts';

const own = { ...targetOptions, title: { type: 'string' }, port: { type: 'string' } } as const;

export const command: Command = {
  usage: '[options] FILE ADDRESS | NAME | -- PROGRAM [ARGUMENTS]',
  about: 'Runs between any host and any server, passes every byte unchanged, and writes the session as a transcript.',
  options: [
    ['--title TEXT', 'the first line of the transcript'],
    ['--port N', 'before an address: the port on 127.0.0.1 for the clients; default: a free one'],
    ['--header "N: V"', 'before an address: added to each request; may be given again'],
    ...targetHelp,
  ],
  example: 'barewire record session.wire -- node dist/examples/travel/main.js',
  notes: [
    '"barewire replay" plays FILE.wire. Before an address FILE.http gets requests, responses and events, and FILE.wire the',
    'messages only. Messages are written unchanged; header fields with credentials are left out. A token',
    'in a message is in the transcript too.',
  ],
  async run(words, proc) {
    const { before: mine, program } = atProgram(words);
    const [target, ...more] = readWords(mine, own, true).rest;
    if (target === undefined || (program !== undefined) !== (more.length === 0)) throw new WrongUse('record needs a file, and an address, a name from the configuration, or a program after --');
    const at = mine.indexOf(target);
    const read = await readClientWords(proc, [...words.slice(0, at), ...words.slice(at + 1)], own);
    if (!isHttp(read.server)) refuseGiven(read, ['port'], 'is for an address');
    const http = target.endsWith('.http');
    if (http && !isHttp(read.server)) throw new WrongUse('FILE.http is for an address; a program or a socket gets FILE.wire');
    const file = await openEntries(target, 'w', (error) => proc.stderr.write(`barewire: the recording ends here: ${error.message}\n`))
      .catch((thrown: unknown) => {
        throw new WrongUse(errorMessage(thrown));
      });
    // The title must not begin like a message of the transcript.
    file.write(`${visible(read.text('title') ?? `A session with ${reportName(read.targetName)}`).replace(/^[\s\-<{]+/, '')}.\n\n`);
    let ended = false;
    const { add } = recorder();
    const wire = httpRecorder();
    const code = !isHttp(read.server) ? await relay(proc, {
      server: read.server,
      onLine: (from, text) => void file.write(add(from, text)),
      onLost: (from, why) => void file.write(`A line of the ${from} was not written: ${visible(why)}.\n`),
    }) : await before(read.server, read, (entry) => {
      if (http) file.write(wire.add(entry));
      else if ('text' in entry) file.write(add(entry.direction === 'sent' ? 'client' : 'server', entry.text));
    }, (exchange, how) => void (http && !ended && file.write(wire.end(exchange, how))));
    ended = true;
    return await file.end() ? exitCodes.failed : code;
  },
};
