import type { ClientTransport, Trace } from '../transport/internal-exports.ts';
import { frames, lines, serialTransport } from '../transport/serial/index.ts';
import type { SerialFraming } from '../transport/serial/index.ts';
import { numberOf, readRevisions, readWords, refuseGiven, targetOptions } from './client-options.ts';
import type { ClientWords, OwnOptions } from './client-options.ts';
import { WrongUse } from './exit-codes.ts';
import { atProgram } from './program-words.ts';

/** The options that name a serial port as the target. */
export const serialWords: OwnOptions = {
  serial: { type: 'string' }, baud: { type: 'string' }, framing: { type: 'string' }, mtu: { type: 'string' },
};

/** Help for these options. */
export const serialHelp: readonly (readonly [string, string])[] = [
  ['--serial PORT', 'instead of TARGET: the server on this serial port, such as /dev/ttyUSB0'],
  ['--baud N', 'with --serial: bits per second; default: the speed to which the port is set'],
  ['--framing F', 'with --serial: frames (numbered, checked, sent again) or lines; frames'],
  ['--mtu N', 'with --serial: bytes of a frame, 20 to 256; 128'],
];

/** A serial port as the target of a subcommand. */
export interface SerialTarget extends Pick<ClientWords, 'flag' | 'text' | 'rest' | 'targetName' | 'revisions'> {
  /** Opens the port when the client connects. */
  open(trace: Trace): ClientTransport;
}

/** The serial port that the words name, or undefined. Throws `WrongUse` for options that do not fit together. */
export async function readSerialTarget(words: readonly string[], own: OwnOptions): Promise<SerialTarget | undefined> {
  const { before, program } = atProgram(words);
  const read = readWords(before, { ...own, ...serialWords }, true);
  const path = read.text('serial');
  if (path === undefined) {
    for (const name of ['baud', 'framing', 'mtu']) if (read.text(name) !== undefined) throw new WrongUse(`--${name} needs --serial`);
    return undefined;
  }
  refuseGiven(read, Object.keys(targetOptions), 'is for another target than --serial');
  if (program) throw new WrongUse('--serial replaces a program');
  const number = numberOf(read);
  const [baud, mtu] = [number('baud', 50, 4_000_000, true), number('mtu', 20, 256, true)];
  const framing = framingOf(read.text('framing') ?? 'frames', mtu);
  const { serialPort } = await import('../transport/serial/node/index.ts');
  return {
    ...read, targetName: path, revisions: readRevisions(read),
    open: (trace) => serialTransport(serialPort(path, { baud }), { framing, trace }),
  };
}

function framingOf(name: string, mtu: number | undefined): SerialFraming {
  if (name === 'lines' && mtu === undefined) return lines;
  if (name === 'frames') return frames({ mtu: mtu });
  throw new WrongUse(name === 'lines' ? '--mtu is for frames' : `--framing takes frames or lines, not ${name}`);
}
