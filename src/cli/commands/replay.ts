import { systemClock } from '../../bounds/clock.ts';
import type { Timer } from '../../bounds/clock.ts';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { visible } from '../../explain/safe-text.ts';
import { decode } from '../../jsonrpc/index.ts';
import { errorMessage } from '../../jsonrpc/internal-exports.ts';
import { findRevision } from '../../protocol/internal-exports.ts';
import { revisions } from '../../protocol/index.ts';
import { bag } from '../../explain/words.ts';
import { MockServer, parseTranscript, Replay } from '../../transcript/index.ts';
import type { Difference, Transcript } from '../../transcript/index.ts';
import type { ClientTransport, Outgoing } from '../../transport/internal-exports.ts';
import { readClientWords, readWords, refuseGiven, targetHelp, targetOptions } from '../client-options.ts';
import type { Command } from '../command.ts';
import { serverOpener } from '../open-server.ts';
import { jsonLine } from '../json-line.ts';
import { atProgram } from '../program-words.ts';
import { exitCodes, NotReached, WrongUse } from '../exit-codes.ts';
import type { CommandProcess } from '../command-process.ts';

export const command: Command = {
  usage: '[options] FILE.wire [TARGET | -- PROGRAM [ARGUMENTS]]',
  about: 'Plays a transcript: as a mock server over stdio, or with TARGET as a client that must get the same answers.',
  options: [
    ['--exact', 'as a mock server: the client must send the messages of the transcript, in their order'],
    ['--ignore MEMBER', 'members of messages that may differ, such as serverInfo; may be given again'],
    ['--timeout N', 'seconds to wait for each answer; 60'],
    ...targetHelp,
    ['--header "N: V"', 'sends this header to an address; may be given again'],
    ['--json', 'prints the differences as JSON'],
  ],
  example: 'barewire replay session.wire -- node dist/examples/travel/main.js',
  notes: [
    'As a mock server it answers any client: the request that fits best is found by method, name and parameters. As a',
    'client it sends the recorded messages, including calls of tools, and ends with 1 if the answers differ.',
  ],
  async run(words, proc) {
    const own = { ...targetOptions, timeout: { type: 'string' }, json: { type: 'boolean' }, exact: { type: 'boolean' }, ignore: { type: 'string', multiple: true } } as const;
    const { before, program } = atProgram(words);
    const read = readWords(before, own, true);
    const [file, ...rest] = read.rest;
    if (file === undefined) throw new WrongUse('the file of a transcript is missing');
    const transcript = load(file);
    const ignored = read.texts('ignore');
    if (rest.length === 0 && program === undefined) {
      refuseGiven(read, [...Object.keys(targetOptions), 'timeout', 'json'], 'is for a TARGET, and none is given');
      if (!read.flag('exact')) refuseGiven(read, ['ignore'], 'needs --exact or a TARGET');
      return mock(proc, transcript, read.flag('exact'), ignored);
    }
    refuseGiven(read, ['exact'], 'is for a mock server, without a TARGET');
    const at = before.indexOf(file);
    const target = await readClientWords(proc, [...words.slice(0, at), ...words.slice(at + 1)], own);
    const transport = serverOpener(proc.env)(target.targetName, target.server, { trace: ({ direction, text }) => direction === 'received' && onText(text), onStderr: () => {} });
    let onText: (text: string) => void = () => {};
    const replay = new Replay(transcript, 'client', { ignored });
    await playClient(replay, transport, target.timeoutMs, (listener) => (onText = listener));
    return report(proc.stdout, replay.differences, transcript, read.flag('json'));
  },
};

function load(file: string): Transcript {
  try {
    return parseTranscript(readFileSync(file, 'utf8'));
  } catch (thrown) {
    throw new WrongUse(`${file}: ${errorMessage(thrown)}`);
  }
}

function report(stdout: CommandProcess['stdout'], differences: readonly Difference[], { lines }: Transcript, json: boolean): number {
  if (json) stdout.write(`${jsonLine({ messages: lines.length, differences })}\n`);
  else if (differences.length === 0) stdout.write(`The same: ${lines.length} messages.\n`);
  else for (const { at, what } of differences) stdout.write(`${at > 0 ? `line ${at}: ` : ''}${visible(what)}\n`);
  return differences.length === 0 ? exitCodes.good : exitCodes.failed;
}

/** Plays the server over stdin and stdout. Differences go to stderr: stdout belongs to the protocol. */
async function mock(proc: CommandProcess, transcript: Transcript, exact: boolean, ignored: readonly string[]): Promise<number> {
  const replay = exact ? new Replay(transcript, 'server', { ignored }) : undefined;
  const server = new MockServer(transcript);
  const say = (texts: readonly string[]): void => {
    for (const text of texts) proc.stdout.write(`${text}\n`);
  };
  let told = 0;
  const tell = (): void => {
    for (const { at, what } of replay?.differences.slice(told) ?? []) proc.stderr.write(`${at > 0 ? `line ${at}: ` : ''}${visible(what)}\n`);
    told = replay?.differences.length ?? 0;
  };
  if (replay) say(replay.begin());
  for await (const line of createInterface({ input: proc.stdin, crlfDelay: Infinity })) {
    if (line === '') continue;
    say(replay ? replay.receive(line) : server.receive(line));
    tell();
  }
  replay?.end('the client has gone');
  tell();
  return told === 0 ? exitCodes.good : exitCodes.failed;
}

/** Plays the client against a server. Resolves when the transcript is finished, or the connection ends. */
async function playClient(
  replay: Replay, transport: ClientTransport, timeoutMs: number, listen: (onText: (text: string) => void) => void,
): Promise<void> {
  let over: () => void = () => {};
  const done = new Promise<void>((resolve) => (over = resolve));
  let timer: Timer | undefined;
  const end = (why: string): void => {
    replay.end(why);
    over();
  };
  const go = (texts: readonly string[]): void => {
    timer?.stop();
    for (const text of texts) transport.send(text, outgoing(text));
    if (replay.waitsFor === undefined) over();
    else timer = systemClock.after(timeoutMs, () => end(`nothing came for ${timeoutMs / 1000} s`));
  };
  listen((text) => {
    const { result } = bag(safeParse(text));
    const agreed = findRevision(revisions, bag(result)['protocolVersion']);
    // From then on HTTP sends the revision in a header.
    if (agreed) transport.agreed?.(agreed);
    go(replay.receive(text));
  });
  try {
    await transport.open({
      message: () => {},
      failed: (_id, error) => end(error.message),
      closed: end,
      error: () => {},
    });
  } catch (thrown) {
    throw new NotReached(visible(errorMessage(thrown)));
  }
  try {
    go(replay.begin());
    await done;
  } finally {
    timer?.stop();
    listen(() => {});
    await transport.close();
  }
}

/** The request or notification as the transport needs it; undefined for other texts. */
function outgoing(text: string): Outgoing | undefined {
  const decoded = decode(text);
  if (decoded.kind === 'request') return { id: decoded.message.id, method: decoded.message.method, params: decoded.message.params };
  return decoded.kind === 'notification' ? { method: decoded.message.method, params: decoded.message.params } : undefined;
}

function safeParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
